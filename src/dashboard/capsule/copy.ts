import * as yaml from 'yaml'
import { operationIds } from '../../core/contract/operations.js'
import { UsageError } from '../../core/lib/messages.js'
import type { CallTexts } from '../../core/mock/control-calls.js'
import { fetchOf } from '../../core/mock/fetch.js'
import { createMock, type Mock } from '../../core/mock/mock.js'
import { scenarios } from '../../core/scenario/shipped.js'
import { jsonToYaml } from '../../core/scenario/write-yaml.js'
import { readYaml } from '../../core/scenario/yaml.js'
import { worldIn } from '../../core/storage/capsule-page.js'
import { version } from '../../version.js'
import { becomeCopy } from '../world/copy.js'
import { opened } from './opened.js'

const texts: CallTexts = {
  *parseScenario(text, options) {
    yield
    if (worldIn(text)) throw new UsageError(`${options.file} is a capsule, which a copy cannot load: open it by itself`)
    return readYaml(text, { ...options, yaml })
  },
  scenarioText: json => jsonToYaml(json, yaml),
  openapiAt() {
    throw new UsageError('a copy has no OpenAPI document of the control API: mockmaker serves one')
  },
  version,
}

becomeCopy({
  file: nameOf(location.pathname),
  // Where `mockmaker bug.html` serves it: commands that the page copies work there.
  url: 'http://127.0.0.1:4100',
  fetch: asOwnPage(fetchOf(createCopiedMock(), texts)),
  operationIds,
})

/** Creates the mock of the world in the file. If it cannot be read, says so on the page, and throws. */
function createCopiedMock(): Mock {
  try {
    return createMock({ scenario: opened.content }, { scenarios })
  } catch (error) {
    const { message } = error as Error // of the mock
    const page = document.getElementById('page')
    if (page) page.textContent = `This copy cannot be opened: ${message}`
    throw error
  }
}

/** Sends each request as a browser does for a page of the mock itself, which may read tokens. */
function asOwnPage(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return (input, init) =>
    fetch(input, { ...init, headers: [...new Headers(init?.headers), ['sec-fetch-site', 'same-origin']] })
}

/** Returns the name of the file. In a frame, the page may have no address. */
function nameOf(path: string): string {
  const [, name = ''] = /([^/]+\.html?)$/i.exec(path) ?? []
  try {
    return decodeURIComponent(name) || 'bug.html'
  } catch {
    return name
  }
}
