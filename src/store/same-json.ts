/** Whether two values are the same JSON to the byte: keys in the same order, also those named `__proto__` and `constructor`. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const others = Object.entries(other)
  const ones = Object.entries(one)
  return ones.length === others.length && ones.every(([key, value], i) => isEntry(others[i], key, value))
}

function isEntry(entry: readonly [string, unknown] | undefined, key: string, value: unknown): boolean {
  return entry?.[0] === key && sameJson(entry[1], value)
}
