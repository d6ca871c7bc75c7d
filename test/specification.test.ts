import { afterAll, it as base, beforeAll, describe } from 'vitest'
import { specification } from './specification.js'
import { entryPoints, type OpenMock } from './support/entry-points.js'
import { tanks } from './support/tanks.js'

describe.each(entryPoints)('through $name', entryPoint => {
  let opened: OpenMock
  beforeAll(async () => {
    opened = await entryPoint.open(tanks)
  })
  afterAll(() => opened.close())

  const it = base.extend<{ mock: OpenMock }>({
    // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern
    mock: async ({}, use) => {
      await use(opened)
      await opened.reset()
    },
  })

  specification({ describe, it: it as never }) // vitest's words take more than the specification says
})
