import type { Draft } from '../store/draft.js'

/** Has a draft become another row: what that does not have goes. */
export function become<Row extends object>(row: Row): (draft: Draft<Row>) => void {
  return draft => {
    for (const key of Object.keys(draft)) if (!Object.hasOwn(row, key)) Reflect.deleteProperty(draft, key)
    Object.assign(draft, row)
  }
}
