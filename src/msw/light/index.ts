import type { Mockmaker } from '../../core/mock/facade.js'
import { createMock } from '../../core/mock/mock.js'
import type { MockmakerOptions } from '../../core/mock/options.js'
import { installedVersion } from '../../server/files/installed-version.js'
import { toMockmaker } from '../mockmaker.js'
import { http } from './http.js'

// `mockmaker` for an `import` in Node. Bundlers and `require` get the file that imports all of MSW.

/** See `mockmaker`. */
export function createMockmaker(options: MockmakerOptions = {}): Mockmaker {
  return toMockmaker(createMock(options, { commands: 'allowed' }), options, {
    http,
    versionOf: installedVersion,
    more: () => ({}),
  })
}

export { ApiError } from '../../core/contract/errors.js'
export { UsageError } from '../../core/lib/messages.js'
export { JournalMismatch } from '../../core/pipeline/journal-mismatch.js'
export { TimeoutError } from '../../core/pipeline/request-waits.js'
export { lab } from '../../lab/lab.js'
