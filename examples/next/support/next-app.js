import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Starts Next, and resolves with its URL once it answers. */
export async function startNext(env = process.env) {
  // A group of processes, because Next starts others.
  const stdio = ['ignore', 'pipe', 'inherit']
  const next = spawn('npx', ['next', 'dev', '--port', '0'], { detached: true, stdio, env })
  const url = await new Promise((resolve, reject) => {
    let printed = ''
    next.stdout.setEncoding('utf8').on('data', text => {
      printed += text
      const [, port] = /http:\/\/localhost:(\d+)/.exec(printed) ?? []
      if (port && printed.includes('Ready')) resolve(`http://localhost:${port}`)
    })
    next.once('exit', () => reject(new Error(`next dev has ended:\n${printed}`)))
  })
  return {
    url,
    async stop() {
      const ended = once(next, 'close')
      process.kill(-next.pid, 'SIGKILL')
      await ended
    },
  }
}
