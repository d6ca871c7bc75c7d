import { ColumnIndex } from './column-index.js'
import type { ViewOf } from './derived.js'
import { sameJson } from './same-json.js'

interface Touch {
  readonly id: string
  readonly before: object | undefined
  readonly after: object | undefined
  readonly revision: number
}

/** Finds the records of a view, and knows at which revision something was last changed that the view shows. */
export class ViewIndex {
  readonly #view: ViewOf<object>
  readonly #index: ColumnIndex

  constructor(view: ViewOf<object>, placeOf: (id: string) => number) {
    this.#view = view
    this.#index = new ColumnIndex(placeOf)
  }

  ids(group: string): Iterable<string> {
    return this.#index.ids(group)
  }

  revision(group: string): number {
    return this.#index.revision(group)
  }

  reorder(): void {
    this.#index.reorder()
  }

  /** `tell` is told of the groups in which something else is shown. */
  touch({ id, before, after, revision }: Touch, tell?: (group: string) => void): void {
    const left = before && this.#view.group(before)
    const entered = after && this.#view.group(after)
    if (before && after && left === entered && this.#isSame(before, after)) return
    this.#index.touch({ id, before: left, after: entered, revision })
    if (left !== undefined) tell?.(left)
    if (entered !== undefined) tell?.(entered)
  }

  /** Is told that a record has got another place. */
  touchOrder(row: object, revision: number): string {
    const group = this.#view.group(row)
    this.#index.touchOrder(group, revision)
    return group
  }

  #isSame(one: object, other: object): boolean {
    // A view names columns of its rows.
    return this.#view.columns.every(column => sameJson(one[column as never], other[column as never]))
  }
}
