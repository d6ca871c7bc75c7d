import { type Mockmaker, mockOf } from '../../../src/core/mock/facade.js'
import type { MockResponse } from '../../../src/core/pipeline/message.js'
import { createMockmaker } from '../../../src/index.js'
import { type PageContext, pageFor } from '../../../src/server/http/pages.js'

/** The options of a page. */
interface Asked extends Partial<Omit<PageContext, 'mock'>> {
  /** Default `GET`. */
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly corsOrigins?: readonly string[]
  /** Default: a mock of the default scenario. */
  readonly mock?: Mockmaker
  /** Default: the options of the mock. */
  readonly tokens?: Mockmaker['tokens']
}

/** The origin of the pages. */
export const url = 'http://127.0.0.1:4100'

/** Returns the answer at a path, by default of a mock of the default scenario. */
export function ask(
  path: string,
  {
    method = 'GET',
    headers = {},
    corsOrigins,
    mock = createMockmaker({ corsOrigins }),
    tokens = mock.tokens,
    ...context
  }: Asked = {},
): MockResponse | undefined {
  const exchange = { method, path, headers }
  const found = pageFor(exchange, () => ({
    mock: { world: mock.world, tokens },
    url,
    hasDashboard: true,
    hidesTokens: false,
    ...context,
  }))
  return found && mockOf(mock, 'test').default.responder.answer(exchange, found)
}

/** Returns a page with its body as text. Throws if no page answers. */
export function page(path: string, asked: Asked = {}) {
  const answer = ask(path, asked)
  if (!answer) throw new Error(`no page is at ${path}`)
  return { ...answer, body: new TextDecoder().decode(answer.body) }
}
