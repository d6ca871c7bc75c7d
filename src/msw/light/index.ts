import type { Mockmaker } from '../../mock/facade.js'
import { createMock } from '../../mock/mock.js'
import type { MockmakerOptions } from '../../mock/options.js'
import { toMockmaker } from '../mockmaker.js'
import { http } from './http.js'

// `mockmaker` for an `import` in Node. Bundlers and `require` get the file that imports all of MSW.

/** See `mockmaker`. */
export function createMockmaker(options: MockmakerOptions = {}): Mockmaker {
  return toMockmaker(createMock(options, { commands: 'allowed' }), options, { http, more: () => ({}) })
}

export { ApiError } from '../../contract/errors.js'
export { UsageError } from '../../lib/usage-error.js'
export { lab } from '../../mock/lab.js'
export { JournalMismatch } from '../../server/journal-mismatch.js'
export { TimeoutError } from '../../server/request-waits.js'
