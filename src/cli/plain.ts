/** A text without what a terminal takes for commands. */
export function plain(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, ' ')
}
