import { afterAll, it as base, beforeAll, describe, type MockInstance, vi } from 'vitest'
import { createMockmaker, type Mockmaker } from '../../src/index.js'
import type { Frame } from '../specification/frame.js'
import { type EntryPoint, listenTanks, type OpenMock } from './entry-points.js'
import { tanks } from './tanks.js'

interface Fixtures {
  /** A mock of tanks in this process. */
  readonly mock: Mockmaker
  /** A mock of tanks on a socket. */
  readonly server: Awaited<ReturnType<typeof listenTanks>>
  /** A silent spy on `console.error`. */
  readonly consoleError: MockInstance<typeof console.error>
}

/** `it` with fixtures. A test gets a new one of each fixture that it names. */
export const it = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern
  mock: async ({}, use) => {
    const mock = createMockmaker({ scenario: tanks })
    await use(mock)
    await mock.close()
  },
  // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern
  server: async ({}, use) => {
    const server = await listenTanks()
    await use(server)
    await server.close()
  },
  // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern
  consoleError: async ({}, use) => {
    await use(vi.spyOn(console, 'error').mockImplementation(() => {}))
  },
})

/** `it` with a fixture `open` for one `describe`: a mock of tanks behind an entry point, reset after each test. */
export function itThrough<Open extends OpenMock>(entryPoint: EntryPoint<Open>) {
  return base.extend<{ readonly open: Open }>({ open: openForAll(entryPoint) })
}

/** Runs a specification through an entry point, on a mock of tanks that is reset after each test. */
export function describeThrough(entryPoint: EntryPoint, specify: (frame: Frame) => void): void {
  describe(`through ${entryPoint.name}`, () => {
    const it = base.extend<{ readonly mock: OpenMock }>({ mock: openForAll(entryPoint) })

    specify({ describe, it: it as never }) // vitest's words take more than the specification says
  })
}

function openForAll<Open extends OpenMock>(entryPoint: EntryPoint<Open>) {
  let open: Open
  beforeAll(async () => {
    open = await entryPoint.open(tanks)
  })
  afterAll(() => open.close())
  // biome-ignore lint/correctness/noEmptyPattern: vitest insists on a pattern
  return async ({}, use: (open: Open) => Promise<void>) => {
    await use(open)
    await open.reset()
  }
}
