import type { PageContext } from '../../src/control/page-context.js'
import { answerPage } from '../../src/control/pages.js'
import { createMockmaker } from '../../src/index.js'
import type { Answer } from '../../src/server/exchange.js'

/** How a test asks for a page. */
export interface Asked extends Partial<PageContext> {
  /** Default `GET`. */
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Where the pages of the tests stand. */
export const url = 'http://127.0.0.1:4100'

/** What is answered at a path, by default of the default scenario's mock. */
export function ask(path: string, { method = 'GET', headers = {}, ...context }: Asked = {}): Answer | undefined {
  return answerPage({ method, path, headers }, { mock: createMockmaker(), url, ...context })
}

/** A page, its body as text. Throws where no page answers. */
export function page(path: string, asked: Asked = {}) {
  const answer = ask(path, asked)
  if (!answer) throw new Error(`no page is at ${path}`)
  return { ...answer, body: new TextDecoder().decode(answer.body) }
}
