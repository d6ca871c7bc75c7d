import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'

type Key = string | number

interface RowsGridProps<Item> {
  readonly label: string
  readonly items: readonly Item[]
  /** The height of each row in px. */
  readonly rowHeight: number
  readonly selectedKey: Key | undefined
  /** The names of the columns. Absent: the grid has no head. */
  readonly columns?: readonly string[]
  /** Shown if there are no items. */
  readonly empty: ComponentChildren
  readonly rowClass: (item: Item) => string
  keyOf(item: Item): Key
  /** Returns the cells of a row. */
  cells(item: Item): readonly ComponentChildren[]
  onOpen(item: Item): void
}

/** Rows beyond the visible ones, so that scrolling shows no gap. */
const marginRows = 6

/** A browser's elements have a limited height. Beyond it, the grid shows the first items only. */
const longestHeight = 15_000_000

/**
 * A grid of any number of rows of one height. Only the visible rows have elements. The arrow keys, Page Up, Page Down, Home
 * and End move the active row, and Enter opens it.
 */
export function RowsGrid<Item>({ label, items, rowHeight, columns, keyOf, onOpen, ...props }: RowsGridProps<Item>) {
  const id = useId()
  const scroller = useRef<HTMLDivElement>(null)
  const view = useView(scroller)
  const [activeKey, setActiveKey] = useState<Key | undefined>()
  const first = Math.max(0, Math.floor(view.top / rowHeight) - marginRows)
  const visible = items.slice(first, Math.ceil((view.top + view.height) / rowHeight) + marginRows)
  const handleKey = (event: KeyboardEvent) => {
    const index = items.findIndex(item => keyOf(item) === activeKey)
    const active = items[index]
    const target = targetOf(event.key, { index, last: items.length - 1, page: Math.floor(view.height / rowHeight) - 1 })
    const next = target === undefined ? undefined : items[target]
    if (target !== undefined && next !== undefined) {
      setActiveKey(keyOf(next))
      scrollTo(scroller.current, target * rowHeight, rowHeight)
    } else if ((event.key === 'Enter' || event.key === ' ') && active !== undefined) onOpen(active)
    else return
    event.preventDefault()
  }
  // Screen readers count from 1, and count the head too.
  const firstIndex = columns ? 2 : 1
  const rowOf = (item: Item, place: number) => {
    const key = keyOf(item)
    return (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles the keys
      <div
        key={key}
        id={`${id}-${key}`}
        role="row"
        aria-rowindex={place + firstIndex}
        aria-selected={key === props.selectedKey}
        class={`row ${key === activeKey ? 'active ' : ''}${props.rowClass(item)}`}
        style={{ top: `${place * rowHeight}px`, height: `${rowHeight}px` }}
        onClick={() => {
          setActiveKey(key)
          onOpen(item)
        }}
      >
        {props.cells(item).map((cell, column) => (
          <span role="gridcell" key={column}>
            {cell}
          </span>
        ))}
      </div>
    )
  }
  return (
    <div
      class="grid"
      role="grid"
      aria-label={label}
      aria-rowcount={items.length + firstIndex - 1}
      aria-activedescendant={visible.some(item => keyOf(item) === activeKey) ? `${id}-${activeKey}` : undefined}
      tabIndex={0}
      ref={scroller}
      onKeyDown={handleKey}
    >
      {columns && <Head columns={columns} />}
      {items.length === 0 && (
        <div role="row" class="empty">
          <span role="gridcell">{props.empty}</span>
        </div>
      )}
      <div role="rowgroup" class="rows" style={{ height: `${Math.min(longestHeight, items.length * rowHeight)}px` }}>
        {visible.map((item, i) => rowOf(item, first + i))}
      </div>
    </div>
  )
}

function Head({ columns }: { readonly columns: readonly string[] }) {
  return (
    <div class="head row" role="row" aria-rowindex={1}>
      {columns.map(column => (
        <span role="columnheader" key={column}>
          {column}
        </span>
      ))}
    </div>
  )
}

/** Follows the part of an element that is scrolled into view, in px. */
function useView(scroller: { readonly current: HTMLElement | null }): {
  readonly top: number
  readonly height: number
} {
  const [view, setView] = useState({ top: 0, height: 400 })
  useEffect(() => {
    const element = scroller.current
    if (!element) return
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight })
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    element.addEventListener('scroll', measure, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', measure)
    }
  }, [scroller])
  return view
}

/** Returns the place of the row to which a key moves. `undefined` for other keys. */
function targetOf(
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

/** Scrolls as little as necessary to show a row. */
function scrollTo(scroller: HTMLElement | null, top: number, rowHeight: number): void {
  if (!scroller) return
  const head = scroller.querySelector<HTMLElement>('.head')?.offsetHeight ?? 0
  const bottom = top + rowHeight - scroller.clientHeight + head
  if (top < scroller.scrollTop) scroller.scrollTop = top
  else if (bottom > scroller.scrollTop) scroller.scrollTop = bottom
}
