import { deviceLinkScriptHash } from './device-link-script.js'
import { type Html, html, verbatim } from './html.js'
import { stylesheet, stylesheetHash } from './stylesheet.js'

/** The pages' own style and script, calls to their own origin, and nothing else. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src '${stylesheetHash}'`,
  `script-src '${deviceLinkScriptHash}'`,
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const icon =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 16 16%22%3E%3Ccircle cx=%225%22 cy=%228%22 r=%224%22 fill=%22%23a8441c%22/%3E%3Ccircle cx=%2211%22 cy=%228%22 r=%224%22 fill=%22%23f29b74%22/%3E%3C/svg%3E'

/** A whole page around its main element, with the style and the icon that all pages have. */
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
