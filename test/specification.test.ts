import { it as base, describe } from 'vitest'
import { doors, type Opened } from './doors.js'
import { specification } from './specification.js'
import { tanks } from './tanks.js'

describe.each(doors)('through $name', door => {
  const it = base.extend<{ mock: Opened }>({
    // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern
    mock: async ({}, use) => {
      const opened = await door.open(tanks)
      await use(opened)
      await opened.close()
    },
  })

  specification({ describe, it: it as never }) // vitest's words take more than the specification says
})
