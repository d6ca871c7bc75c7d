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

  ids(under: string): Iterable<string> {
    return this.#index.ids(under)
  }

  revision(under: string): number {
    return this.#index.revision(under)
  }

  reorder(): void {
    this.#index.reorder()
  }

  /** `tell` is told of the texts under which something else is shown. */
  touch({ id, before, after, revision }: Touch, tell?: (under: string) => void): void {
    const left = before && this.#view.under(before)
    const entered = after && this.#view.under(after)
    if (before && after && left === entered && this.#isSame(before, after)) return
    this.#index.touch({ id, before: left, after: entered, revision })
    if (left !== undefined) tell?.(left)
    if (entered !== undefined) tell?.(entered)
  }

  /** Is told that a record has got another place. */
  touchOrder(row: object, revision: number): string {
    const under = this.#view.under(row)
    this.#index.touchOrder(under, revision)
    return under
  }

  #isSame(one: object, other: object): boolean {
    // A view names columns of its rows.
    return this.#view.columns.every(column => sameJson(one[column as never], other[column as never]))
  }
}
