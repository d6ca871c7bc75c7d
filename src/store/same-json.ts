/** Whether two values are the same JSON to the byte: keys in the same order, also those named `__proto__` and `constructor`. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const [keys, others] = [Object.keys(one), Object.keys(other)]
  if (keys.length !== others.length) return false
  // An own key that is called `__proto__` is found as any other one is.
  return keys.every((key, i) => others[i] === key && sameJson(one[key as never], other[key as never]))
}
