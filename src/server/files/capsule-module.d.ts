declare module '#capsule' {
  /** Makes the page of a capsule from its JSON. */
  export function capsuleHtml(json: string): Promise<string>
}
