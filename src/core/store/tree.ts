import sorted from 'sorted-btree'
import bulk from 'sorted-btree/extended/bulkLoad.js'
import diff from 'sorted-btree/extended/diffAgainst.js'

/** A sorted map. Cloning takes constant time: both maps share their nodes until one of them changes. */
// `resolution-mode` makes the declaration right under bundlers too: they disagree with Node about the default export.
export type Tree<Key, Value> = import('sorted-btree', { with: { 'resolution-mode': 'require' }}).default<Key, Value>

/** Compares two keys of a tree. Below 0 if `a` comes first. */
export type Compare<Key> = (a: Key, b: Key) => number

/** The library is CommonJS, and bundlers disagree about its default export. */
function defaultOf<Export>(module: { readonly default: Export }): Export {
  return module.default ?? (module as unknown as Export)
}

const Constructor = defaultOf(sorted)
const compareTrees = defaultOf(diff)
const { bulkLoad: load } = 'default' in bulk ? (bulk.default as typeof bulk) : bulk

const nodeSize = 32

export function createTree<Key, Value>(compare: Compare<Key>): Tree<Key, Value> {
  return new Constructor<Key, Value>(undefined, compare, nodeSize)
}

/** Builds a tree from keys in ascending order. This is faster than adding them one by one. */
export function loadTree<Key, Value>(keys: Key[], values: Value[], compare: Compare<Key>): Tree<Key, Value> {
  if (keys.length === 0) return createTree(compare)
  return load(keys, values, nodeSize, compare)
}

/** Calls `onDifference` for each key whose values are different objects. Skips shared nodes. */
export function diffTrees<Key, Value>(
  before: Tree<Key, Value>,
  after: Tree<Key, Value>,
  onDifference: (key: Key, before: Value | undefined, after: Value | undefined) => void,
): void {
  compareTrees<Key, Value, never>(
    before,
    after,
    (key, value) => onDifference(key, value, undefined),
    (key, value) => onDifference(key, undefined, value),
    (key, was, is) => onDifference(key, was, is),
  )
}

export function compareNumbers(a: number, b: number): number {
  return a - b
}

export function compareTexts(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
