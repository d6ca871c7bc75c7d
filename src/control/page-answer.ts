import type { MockResponseInit } from '../server/message.js'
import type { Html } from './html.js'
import { contentSecurityPolicy } from './html-document.js'

const encoder = new TextEncoder()
const nosniff = { 'x-content-type-options': 'nosniff' }

/** A page for people. No other page may read it, frame it, or run a script in it. */
export function htmlPage({ html }: Html, status = 200): MockResponseInit {
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': contentSecurityPolicy,
    'referrer-policy': 'no-referrer',
    ...nosniff,
  }
  return { status, headers, body: encoder.encode(html), cors: 'this origin' }
}

/** A JSON page. Those that hold tokens are for their own origin only. */
export function jsonPage(value: object, cors: MockResponseInit['cors']): MockResponseInit {
  const headers = { 'content-type': 'application/json', ...nosniff }
  return { status: 200, headers, body: encoder.encode(JSON.stringify(value)), cors }
}

/** A text, for pages of this machine. */
export function textPage(text: string): MockResponseInit {
  const headers = { 'content-type': 'text/plain; charset=utf-8', ...nosniff }
  return { status: 200, headers, body: encoder.encode(text), cors: 'loopback' }
}

/** A YAML page, for pages of this machine. */
export function yamlPage(text: string): MockResponseInit {
  const headers = { 'content-type': 'application/yaml', ...nosniff }
  return { status: 200, headers, body: encoder.encode(text), cors: 'loopback' }
}
