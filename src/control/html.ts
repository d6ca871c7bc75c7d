/** HTML that is safe to send: what was interpolated into it is escaped. */
export interface Html {
  readonly html: string
}

/** What may stand between the pieces of a template; `undefined` is nothing. */
type Piece = Html | string | number | undefined | readonly Html[]

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** A template of HTML. Texts are escaped, for elements and for quoted attributes; other `Html` is taken as it is. */
export function html(template: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  return { html: template.map((text, i) => text + written(pieces[i])).join('') }
}

/** Text that stands in HTML as it is: a style or a script of our own, never what somebody sent. */
export function verbatim(text: string): Html {
  return { html: text }
}

function written(piece: Piece): string {
  if (piece === undefined) return ''
  if (typeof piece !== 'object') return String(piece).replaceAll(/[&<>"']/g, character => entities[character] ?? '')
  return 'html' in piece ? piece.html : piece.map(({ html }) => html).join('')
}
