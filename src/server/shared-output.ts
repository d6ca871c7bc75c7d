const shared = new WeakSet<object>()

/** Marks an output that answers share. */
export function share(output: object): void {
  shared.add(output)
}

/** Whether an output is a shared one, which never changes. */
export function isShared(output: object): boolean {
  return shared.has(output)
}
