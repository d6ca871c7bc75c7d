/** HTML whose interpolated texts are escaped. */
export interface Html {
  readonly html: string
}

/** A value in a template. `undefined` adds nothing. */
type Piece = Html | string | number | undefined | readonly Html[]

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Template tag for HTML. Escapes texts for elements and quoted attributes. Inserts other `Html` unchanged. */
export function html(template: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  return { html: template.map((text, i) => text + escapedHtml(pieces[i])).join('') }
}

/** Makes HTML of a text without escaping it. Only for our own styles and scripts. */
export function verbatim(text: string): Html {
  return { html: text }
}

function escapedHtml(piece: Piece): string {
  if (piece === undefined) return ''
  if (typeof piece !== 'object') return String(piece).replaceAll(/[&<>"']/g, character => entities[character] ?? '')
  return 'html' in piece ? piece.html : piece.map(({ html }) => html).join('')
}

const icon =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 16 16%22%3E%3Ccircle cx=%225%22 cy=%228%22 r=%224%22 fill=%22%23a8441c%22/%3E%3Ccircle cx=%2211%22 cy=%228%22 r=%224%22 fill=%22%23f29b74%22/%3E%3C/svg%3E'

/** Creates a page from its main element, with the style and the icon of all pages. */
export function htmlDocument({ title, main }: { readonly title: string; readonly main: Html }): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – mockmaker</title>
<link rel="icon" href="${icon}">
<style>${verbatim(stylesheet)}</style>
</head>
<body>
${main}
</body>
</html>
`
}

/** The style of all pages: light and dark, down to the width of a phone. */
const stylesheet = `
:root {
  color-scheme: light dark;
  --paper: #faf9f6; --card: #fff; --code: #f2efe8; --line: #e3dfd5;
  --ink: #1e1c19; --muted: #69645b; --accent: #a8441c; --good: #2b6a3a; --bad: #a3262a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #161412; --card: #1e1c19; --code: #282521; --line: #36322c;
    --ink: #ece7de; --muted: #a69f93; --accent: #f29b74; --good: #86cf97; --bad: #f58f8f;
  }
}
* { box-sizing: border-box; margin: 0; }
body { background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
main { max-width: 56rem; margin: 0 auto; padding: clamp(1.5rem, 5vw, 3.5rem) 1.25rem 4rem; }
a { color: var(--accent); text-underline-offset: .2em; }
code, .address { font-family: ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace; font-size: .875em; }
h1 { font-size: clamp(1.75rem, 5vw, 2.5rem); line-height: 1.15; letter-spacing: -.02em; }
h2 { margin: 3rem 0 1rem; font-size: 1.125rem; }
.mark { margin-bottom: .5rem; color: var(--accent); font-weight: 600; }
.address { margin-top: .75rem; font-size: 1rem; color: var(--muted); }
.counts { display: flex; flex-wrap: wrap; gap: .75rem 2.25rem; margin-top: 1.75rem; padding: 0; }
.counts div { display: flex; flex-direction: column-reverse; }
.counts dt, .note { color: var(--muted); font-size: .875rem; }
.counts dd { font-size: 1.5rem; font-weight: 600; line-height: 1.2; font-variant-numeric: tabular-nums; }
.card { padding: 1rem 1.125rem; background: var(--card); border: 1px solid var(--line); border-radius: .625rem; }
.card + .card { margin-top: .75rem; }
.card h3 { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem .75rem; font-size: 1rem; }
.card .note { margin-top: .125rem; }
.call { display: block; margin-top: .625rem; padding: .625rem .75rem; background: var(--code); border-radius: .375rem; user-select: all; }
h3 .kind { color: var(--accent); }
.token { font-weight: 400; color: var(--muted); user-select: all; }
table { width: 100%; border-collapse: collapse; font-size: .9375rem; }
th { padding: 0 1rem .5rem 0; color: var(--muted); font-size: .875rem; font-weight: 400; text-align: left; }
td { padding: .625rem 1rem .625rem 0; border-top: 1px solid var(--line); vertical-align: top; }
td:last-child, th:last-child { width: 11rem; padding-right: 0; }
td .note { margin-top: .125rem; }
.method { color: var(--accent); font-weight: 600; }
footer { margin-top: 3rem; color: var(--muted); font-size: .875rem; }
.narrow { max-width: 34rem; }
.narrow .card { margin-top: 1.75rem; padding: 1.5rem; }
.narrow p + p, .choice, .games { margin-top: 1rem; }
.games { display: grid; gap: .75rem; padding: 0; list-style: none; }
button {
  width: 100%; padding: .75rem 1rem; border: 0; border-radius: .5rem; background: var(--accent); color: var(--card);
  font: inherit; font-weight: 600; text-align: start; cursor: pointer;
}
button:hover { filter: brightness(1.08); }
button:disabled { opacity: .55; cursor: default; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
.state { font-weight: 600; }
.state[data-state=complete] { color: var(--good); }
.state[data-state=expired], .state[data-state=unknown], [role=status][data-state=failed] { color: var(--bad); }
[role=status]:not(:empty) { margin-top: 1rem; outline: 0; }
@media (max-width: 40rem) {
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tbody, tr, td { display: block; }
  tr { padding: .75rem 0; border-top: 1px solid var(--line); }
  td, td:last-child { width: auto; padding: 0; border: 0; }
  td:last-child::before { content: 'Token: '; }
  .counts { display: grid; grid-template-columns: repeat(3, max-content); }
}
`

/** Allows the style in a content security policy: the SHA-256 of its text. */
export const stylesheetHash = 'sha256-SnJJ15KBBejE152UzvM3l6LbopyRyTwSzPbxQs8CHvE='
