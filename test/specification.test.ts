import { afterAll, it as base, beforeAll, describe } from 'vitest'
import { doors, type Opened } from './doors.js'
import { specification } from './specification.js'
import { tanks } from './tanks.js'

describe.each(doors)('through $name', door => {
  let opened: Opened
  beforeAll(async () => {
    opened = await door.open(tanks)
  })
  afterAll(() => opened.close())

  const it = base.extend<{ mock: Opened }>({
    // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern
    mock: async ({}, use) => {
      await use(opened)
      await opened.reset()
    },
  })

  specification({ describe, it: it as never }) // vitest's words take more than the specification says
})
