/** What a game and its namespace are called where a scenario does not say. */
export const defaultNames = {
  game: { name_id: 'game', display_name: 'Game' },
  namespace: { name_id: 'prod', display_name: 'Production' },
} as const

/** Names as an entry of a scenario gives them: one that has only a `name_id` is displayed by it. */
export function namesOf(given: GivenNames, defaults: Names): Names {
  const { name_id = defaults.name_id, display_name = given.name_id ?? defaults.display_name } = given
  return { name_id, display_name }
}

/** What paths and host names call something, and what people do. */
export interface Names {
  readonly name_id: string
  readonly display_name: string
}

type GivenNames = { readonly [Key in keyof Names]?: Names[Key] | undefined }
