import { createHash } from 'node:crypto'
import type { KeptLine, KeptSummary, KeptWorld, NewKeptWorld, Storage } from '../../../src/core/storage/storage.js'

interface Content {
  born: string
  summary: Omit<KeptSummary, 'id'>
  originHash: string
  origins: Map<string, string>
  base: string | undefined
  lines: KeptLine[]
  time: string | undefined
  starts: number
}

interface MemoryOptions {
  /** As for `KeptWorld`. Default: all is kept at once. */
  settled?(): Promise<void> | undefined
  /** As for `KeptWorld`. Default: no line waits. */
  drained?(): Promise<void> | undefined
  /** As for `KeptWorld`. Default: it takes all lines. */
  check?(): void
  /** As for `KeptWorld`. Default: 0. */
  readonly lagMs?: number
}

/** A storage that outlives the mocks that use it. It holds texts only, as files do. */
export function memoryStorage(options: MemoryOptions = {}): Storage & { readonly worlds: Map<string, Content> } {
  const worlds = new Map<string, Content>()
  let settings: string | undefined
  return {
    worlds,
    get settings() {
      return settings
    },
    saveSettings(text) {
      settings = text
    },
    createHash: () => createHash('sha256'),
    place: 'memory',
    bytes: 0,
    get count() {
      return worlds.size
    },
    find(id) {
      const content = worlds.get(id)
      return content && { id, ...content.summary }
    },
    list: () => [...worlds].map(([id, { summary }]) => ({ id, ...summary })),
    open(id) {
      const content = worlds.get(id)
      if (!content) return undefined
      content.starts += 1
      return openWorld(content, options)
    },
    create(id, { summary, origin, base }: NewKeptWorld) {
      const origins = new Map([[origin.hash, origin.pieces.join('')]])
      const content: Content = {
        born: Math.random().toString(36).slice(2),
        summary,
        originHash: origin.hash,
        origins,
        base,
        lines: [],
        time: undefined,
        starts: 1,
      }
      worlds.set(id, content)
      return openWorld(content, options)
    },
    delete: id => void worlds.delete(id),
    close() {},
  }
}

function openWorld(
  content: Content,
  { settled = () => undefined, drained = () => undefined, check = () => {}, lagMs = 0 }: MemoryOptions,
): KeptWorld {
  const { born, starts, originHash, base, time } = content
  return {
    born,
    starts,
    originHash,
    base,
    time,
    lagMs,
    lines: [...content.lines],
    cutBytes: 0,
    release() {},
    origin: hash => content.origins.get(hash) ?? '',
    putOrigin({ hash, pieces }) {
      content.origins.set(hash, pieces.join(''))
    },
    check,
    append(line) {
      check()
      content.lines.push(line)
    },
    settled,
    drained,
    bytesUpTo: revision =>
      content.lines.reduce((sum, line) => sum + (line.revision <= revision ? line.text.length : 0), 0),
    get baseBytes() {
      return content.base?.length ?? 0
    },
    replaceBase({ parts, revision, originHash }) {
      content.base = [...parts].join('')
      content.originHash = originHash
      content.lines = content.lines.filter(line => line.revision > revision)
    },
    writeTime: text => {
      content.time = text
    },
    summarize: summary => {
      content.summary = summary
    },
    watch: () => () => {},
    close() {},
  }
}
