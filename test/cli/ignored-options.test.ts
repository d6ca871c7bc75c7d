import { expect, it } from 'vitest'
import { runHere } from '../support/run-here.js'

it.for([
  ['--reset', ['--reset'], '--reset begins the worlds of a storage anew: add --data <folder>, or remove --reset'],
  [
    '--server-watch',
    ['--server-watch', 'src'],
    '--server-watch restarts game servers when files change, but no command starts one: add --server-command',
  ],
] as const)('%s is refused where it would do nothing', async ([, args, message]) => {
  const { code, stderr } = await runHere(['--port', '0', ...args])

  expect([code, stderr.includes(message)]).toEqual([1, true])
})
