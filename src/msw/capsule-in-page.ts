// Bundlers of pages get this file for `#capsule`: in a page there are no files from which the page of a capsule could be made.

/** Returns the JSON. */
export async function capsuleHtml(json: string): Promise<string> {
  return json
}
