const identifier = /^(?=.{1,16}$)[0-9a-z]+(-[0-9a-z]+)*$/

/** Whether a name id or a port label is an identifier: 1 to 16 of `0-9 a-z -`, no `-` at an end, no `--` (PROTOCOL.md B5). */
export function isIdentifier(text: string): boolean {
  return identifier.test(text)
}
