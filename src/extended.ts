/** What both have of their own in one object, getters as getters; where both have a name, `more` has it. What a class has is not taken along. */
export function extended<Base extends object, More extends object>(
  base: Base,
  more: More,
): Omit<Base, keyof More> & More {
  const both = { ...Object.getOwnPropertyDescriptors(base), ...Object.getOwnPropertyDescriptors(more) }
  // TypeScript does not know what descriptors describe.
  return Object.defineProperties({}, both) as Omit<Base, keyof More> & More
}
