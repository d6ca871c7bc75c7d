import type { ComponentChildren } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'
import { firstIndex } from '../../core/lib/binary-search.js'
import { Button } from './controls.js'
import { layout, useSize } from './screen.js'

type Key = string | number

/** A column of a table. */
export interface Column<Item> {
  readonly key: string
  readonly title: ComponentChildren
  /** The least width in px. The columns share what is left in proportion. */
  readonly width: number
  /** The greatest width in px. Such a column grows to it before the others share what is left. Default: none. */
  readonly maxWidth?: number
  /** The rank of the column. A table that is too narrow leaves out higher ranks first. Default: 0, which always stays. */
  readonly rank?: number
  /** Returns what the column sorts by. `undefined` comes last in both orders. */
  sortBy(item: Item): number | string | undefined
  cell(item: Item): ComponentChildren
  /** The whole text of a cell that may be cut. Default: the cell, if it is a text. */
  hint?(item: Item): string | undefined
}

interface TableProps<Item> {
  readonly label: string
  readonly items: readonly Item[]
  /** Absent: the table has no head, and one cell in each row. */
  readonly columns?: readonly Column<Item>[]
  /** The column that sorts, with `-` before it for the descending order. The caller has sorted the items. */
  readonly sort?: string
  /** Shown if there are no items. */
  readonly empty: ComponentChildren
  keyOf(item: Item): Key
  isSelected(item: Item): boolean
  rowClass?(item: Item): string
  /** The height of a row in px. Default: 30. */
  heightOf?(item: Item): number
  /** The whole of a row in two lines: always without columns, and otherwise on a phone. */
  row?(item: Item): ComponentChildren
  /** The whole of a row that is the head of a group. `undefined`: it is none. */
  headOf?(item: Item): ComponentChildren
  onOpen(item: Item): void
  /** Called with → and ←. */
  onUnfold?(item: Item, isOpen: boolean): void
  onSort?(sort: string): void
}

const rowHeight = 30
const phoneRowHeight = 56

/** The table has rows for this height until its own is known, in px. */
const firstHeight = 400

/** Rows beyond the visible ones, so that scrolling shows no gap. */
const marginRows = 6

/** A browser's elements have a limited height. Beyond it, the table shows the first items only. */
const longestHeight = 15_000_000

/**
 * A table of any number of rows. Only the visible rows have elements. The arrow keys, Page Up, Page Down, Home and End move the
 * active row, and Enter opens it. Above the first row they reach the head: there ← → choose a column, and Enter sorts by it.
 */
export function Table<Item>(props: TableProps<Item>) {
  const { label, items, columns, keyOf } = props
  const id = useId()
  const scroller = useRef<HTMLDivElement>(null)
  const { width, height } = useSize(scroller).value
  const [top, setTop] = useState(0)
  const isPhone = layout.value === 'phone'
  const shown = columns && !(isPhone && props.row) ? fitting(columns, width) : undefined
  const places = placesOf(items, props.heightOf ?? (shown || !isPhone ? rowHeight : phoneRowHeight))
  const first = Math.max(0, places.indexAt(top) - marginRows)
  const visible = items.slice(first, places.indexAt(top + (height || firstHeight)) + 1 + marginRows)
  const active = useActive(props, { scroller, shown, places, perPage: Math.floor(height / rowHeight) - 1 })
  const activeId = active.column === undefined ? `${id}-${active.key}` : `${id}-head-${active.column}`
  const isActiveShown = active.column !== undefined || visible.some(item => keyOf(item) === active.key)
  // Screen readers count from 1, and count the head too.
  const firstIndex = shown ? 2 : 1
  return (
    <div
      class="table"
      role="grid"
      aria-label={label}
      aria-rowcount={items.length + firstIndex - 1}
      aria-activedescendant={isActiveShown ? activeId : undefined}
      tabIndex={0}
      ref={scroller}
      onKeyDown={active.handleKey}
      onScroll={event => setTop(event.currentTarget.scrollTop)}
      onFocus={event => {
        // The focus is seen on a row, not on the table.
        if (event.target === event.currentTarget && !items.some(item => keyOf(item) === active.key))
          active.activate(places.indexAt(top))
      }}
    >
      {shown && <Head id={id} columns={shown} sort={props.sort} active={active.column} onSort={active.sortBy} />}
      {items.length === 0 && (
        <div role="row">
          <div role="gridcell" class="empty">
            {props.empty}
          </div>
        </div>
      )}
      <div role="rowgroup" class="rows" style={{ height: `${Math.min(longestHeight, places.topOf(items.length))}px` }}>
        {visible.map((item, i) => {
          const [place, key, start] = [first + i, keyOf(item), places.topOf(first + i)]
          const activeClass = key === active.key && active.column === undefined ? 'active ' : ''
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the table handles the keys
            <div
              key={key}
              id={`${id}-${key}`}
              role="row"
              aria-rowindex={place + firstIndex}
              aria-selected={props.isSelected(item)}
              class={activeClass + (props.headOf?.(item) ? 'group' : (props.rowClass?.(item) ?? ''))}
              style={{ top: `${start}px`, height: `${places.topOf(place + 1) - start}px` }}
              onClick={() => {
                active.activate(place)
                props.onOpen(item)
              }}
            >
              {contentOf(item, props, shown)}
            </div>
          )
        })}
      </div>
    </div>
  )
}

/** The cells of a row, or one with the whole of it. */
function contentOf<Item>(item: Item, { headOf, row }: TableProps<Item>, shown: readonly Column<Item>[] | undefined) {
  const whole = headOf?.(item)
  if (shown && !whole) return shown.map(column => <Cell key={column.key} column={column} item={item} />)
  return (
    <div role="gridcell" class="contents">
      {whole ?? row?.(item)}
    </div>
  )
}

interface ActiveContext<Item> {
  readonly scroller: { readonly current: HTMLDivElement | null }
  readonly shown: readonly Column<Item>[] | undefined
  readonly places: Places
  readonly perPage: number
}

/** Follows the keys of a table: they move the active row, or the active column of the head. */
function useActive<Item>(props: TableProps<Item>, { scroller, shown, places, perPage }: ActiveContext<Item>) {
  const { items, keyOf, onOpen, onUnfold } = props
  const [key, setKey] = useState<Key | undefined>()
  const [column, setColumn] = useState<number | undefined>()
  const activate = (index: number) => {
    const item = items[index]
    if (item === undefined) return
    setColumn(undefined)
    setKey(keyOf(item))
    scrollTo(scroller.current, places.topOf(index), places.topOf(index + 1))
  }
  const sortBy = ({ key: name }: Column<Item>) => props.onSort?.(props.sort === name ? `-${name}` : name)
  /** Returns what a key does in the head. `undefined`: nothing. */
  const inHead = (pressed: string, columns: readonly Column<Item>[], at: number): (() => void) | undefined => {
    const chosen = columns[at]
    if (pressed === 'ArrowDown') return () => activate(0)
    if (pressed === 'ArrowLeft') return () => setColumn(Math.max(0, at - 1))
    if (pressed === 'ArrowRight') return () => setColumn(Math.min(columns.length - 1, at + 1))
    return (pressed === 'Enter' || pressed === ' ') && chosen ? () => sortBy(chosen) : undefined
  }
  const inRows = (pressed: string): (() => void) | undefined => {
    const index = items.findIndex(item => keyOf(item) === key)
    const item = items[index]
    if (item !== undefined) {
      if (pressed === 'Enter' || pressed === ' ') return () => onOpen(item)
      if (pressed === 'ArrowUp' && index === 0 && shown) return () => setColumn(0)
      if (onUnfold && (pressed === 'ArrowRight' || pressed === 'ArrowLeft'))
        return () => onUnfold(item, pressed === 'ArrowRight')
    }
    const target = targetOf(pressed, { index, last: items.length - 1, page: Math.max(1, perPage) })
    return target === undefined ? undefined : () => activate(target)
  }
  const handleKey = (event: KeyboardEvent) => {
    if (event.target !== scroller.current || event.ctrlKey || event.metaKey || event.altKey) return
    const action = shown && column !== undefined ? inHead(event.key, shown, column) : inRows(event.key)
    if (!action) return
    event.preventDefault()
    action()
  }
  return { key, column, activate, sortBy, handleKey }
}

interface HeadProps<Item> {
  readonly id: string
  readonly columns: readonly Column<Item>[]
  readonly sort: string | undefined
  readonly active: number | undefined
  onSort(column: Column<Item>): void
}

function Head<Item>({ id, columns, sort, active, onSort }: HeadProps<Item>) {
  return (
    <div class="head-row" role="row" aria-rowindex={1}>
      {columns.map((column, i) => {
        const { key, title } = column
        const order = sort === key ? 'ascending' : sort === `-${key}` ? 'descending' : undefined
        return (
          <div
            key={key}
            id={`${id}-head-${i}`}
            role="columnheader"
            class={i === active ? 'cell active' : 'cell'}
            aria-sort={order}
            style={widthOf(column)}
          >
            <Button tabIndex={-1} onClick={() => onSort(column)}>
              {title} {order && <span aria-hidden="true">{order === 'ascending' ? '↑' : '↓'}</span>}
            </Button>
          </div>
        )
      })}
    </div>
  )
}

function Cell<Item>({ column, item }: { readonly column: Column<Item>; readonly item: Item }) {
  const content = column.cell(item)
  const hint = column.hint?.(item) ?? (typeof content === 'string' ? content : undefined)
  return (
    <div role="gridcell" class="cell" dir="auto" title={hint} style={widthOf(column)}>
      {typeof content === 'string' ? <span class="cut">{content}</span> : content}
    </div>
  )
}

function widthOf<Item>({ width, maxWidth }: Column<Item>) {
  return maxWidth ? { flex: `9999 1 ${width}px`, maxWidth: `${maxWidth}px` } : { flex: `${width} 1 ${width}px` }
}

/** Leaves out the columns of the highest rank until the others fit. */
function fitting<Item>(columns: readonly Column<Item>[], width: number): readonly Column<Item>[] {
  let shown = columns
  for (;;) {
    const least = shown.reduce((sum, column) => sum + column.width, 0)
    const rank = Math.max(...shown.map(column => column.rank ?? 0))
    if (width === 0 || least <= width || rank === 0) return shown
    shown = shown.filter(column => (column.rank ?? 0) < rank)
  }
}

/** Sorts items by a column: `seats`, or `-seats` for the descending order. Items that are equal keep their order. */
export function sorted<Item>(items: readonly Item[], columns: readonly Column<Item>[], sort: string): Item[] {
  const isDescending = sort.startsWith('-')
  const column = columns.find(({ key }) => key === (isDescending ? sort.slice(1) : sort))
  if (!column) return [...items]
  const keyed = items.map(item => [column.sortBy(item), item] as const)
  keyed.sort(([one], [other]) => {
    if (one === other) return 0
    if (one === undefined) return 1
    if (other === undefined) return -1
    const isLess = typeof one === 'string' && typeof other === 'string' ? compareTexts(one, other) < 0 : one < other
    return isLess === isDescending ? 1 : -1
  })
  return keyed.map(([, item]) => item)
}

/** Compares by code units: `localeCompare` would take a hundred times as long for 10,000 rows. */
function compareTexts(one: string, other: string): number {
  const [lower, otherLower] = [one.toLowerCase(), other.toLowerCase()]
  return lower < otherLower ? -1 : lower > otherLower ? 1 : one < other ? -1 : 1
}

interface Places {
  topOf(index: number): number
  indexAt(top: number): number
}

/** Returns the places of rows, with the height of each or of all. */
function placesOf<Item>(items: readonly Item[], height: number | ((item: Item) => number)): Places {
  if (typeof height === 'number') return { topOf: index => index * height, indexAt: top => Math.floor(top / height) }
  const tops = [0]
  for (const item of items) tops.push((tops.at(-1) ?? 0) + height(item))
  const indexAt = (top: number) => firstIndex(items.length, index => (tops[index + 1] ?? 0) > top)
  return { topOf: index => tops[index] ?? tops.at(-1) ?? 0, indexAt }
}

/** Returns the row to which a key leads. `page`: the rows of a page. `undefined`: another key. */
export function targetOf(
  key: string,
  { index, last, page }: { readonly index: number; readonly last: number; readonly page: number },
): number | undefined {
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: index + 1,
    ArrowUp: index - 1,
    PageDown: index + page,
    PageUp: index - page,
    Home: 0,
    End: last,
  }
  const target = targets[key]
  return target === undefined ? undefined : Math.max(0, Math.min(last, target))
}

/** Scrolls as little as necessary to show a row between two heights. */
function scrollTo(scroller: HTMLElement | null, top: number, end: number): void {
  if (!scroller) return
  const head = scroller.querySelector<HTMLElement>('.head-row')?.offsetHeight ?? 0
  const bottom = end - scroller.clientHeight + head
  if (top < scroller.scrollTop) scroller.scrollTop = top
  else if (bottom > scroller.scrollTop) scroller.scrollTop = bottom
}
