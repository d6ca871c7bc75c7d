import { type PageContext, pageFor } from '../../src/control/pages.js'
import { createMockmaker } from '../../src/index.js'
import { type Mock, servable } from '../../src/mock.js'
import type { MockResponse } from '../../src/server/message.js'

/** How a test asks for a page. */
export interface Asked extends Partial<Omit<PageContext, 'mock'>> {
  /** Default `GET`. */
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly corsOrigins?: readonly string[]
  /** Default: one of the default scenario. */
  readonly mock?: Mock
  /** Default: those of the mock. */
  readonly tokens?: Mock['tokens']
}

/** Where the pages of the tests stand. */
export const url = 'http://127.0.0.1:4100'

/** What is answered at a path, by default of the default scenario's mock. */
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
  const found = pageFor(exchange, () => ({ mock: { world: mock.world, tokens }, url, ...context }))
  return found && servable(mock).respond(exchange, found)
}

/** A page, its body as text. Throws where no page answers. */
export function page(path: string, asked: Asked = {}) {
  const answer = ask(path, asked)
  if (!answer) throw new Error(`no page is at ${path}`)
  return { ...answer, body: new TextDecoder().decode(answer.body) }
}
