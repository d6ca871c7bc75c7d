import { quoted } from '../../core/lib/messages.js'
import type { ReplicaInfo, SharedSummary } from '../../core/storage/shared-storage.js'
import { type KeptLine, type KeptSummary, type KeptWorld, StorageError } from '../../core/storage/storage.js'
import type { Reply, ScriptCommand } from './redis-client.js'

export type SentTexts = readonly (string | undefined)[]

/** A page of lines should have about this many UTF-16 units. */
const pageSize = 4 * 1024 ** 2

/** The content of a world at its opening. */
export interface ReplicaContent extends Pick<KeptWorld, 'born' | 'starts' | 'originHash' | 'base' | 'time'> {
  readonly lines: readonly KeptLine[]
  readonly baseRevision: number
  readonly origins: ReadonlyMap<string, string>
  readonly baseBytes: number
  readonly summary: Omit<KeptSummary, 'id'>
}

interface Reader {
  readonly place: string
  run(command: ScriptCommand, ...args: readonly string[]): Promise<Reply>
}

/** Reads a world. With an empty epoch, any replica may own it. `undefined`: there is none, or another replica has it. */
export async function readContent(reader: Reader, id: string, epoch: string): Promise<ReplicaContent | undefined> {
  for (;;) {
    // The lines first: if the base is replaced meanwhile, it has what they lack.
    const pages = await readLines(reader, id, epoch)
    const [kind, ...fields] = await reader.run('read', id, epoch)
    if (!pages || kind !== 'ok') return undefined
    // It was deleted meanwhile, and there is a new one.
    if (pages.born !== fields[0]) continue
    const [born, starts, revision, baseRevision, originHash, time, summary, , origins, base] = fields
    const start = Number(baseRevision)
    const after = pages.lines.filter(line => line.revision > start)
    if (epoch !== '' && (after.at(-1)?.revision ?? start) !== Number(revision))
      throw new StorageError(
        `the log of the world ${quoted(id)} in ${reader.place} does not end at its last revision ${revision}: somebody changed it. Delete the world`,
      )
    const list = origins as readonly string[]
    const texts = new Map<string, string>()
    for (let i = 0; i < list.length; i += 2) texts.set(String(list[i]), String(list[i + 1]))
    return {
      born: String(born),
      starts: Number(starts),
      originHash: String(originHash),
      base: base === '' ? undefined : String(base),
      lines: after,
      time: time === '' ? undefined : String(time),
      baseRevision: start,
      origins: texts,
      baseBytes: Buffer.byteLength(String(base)),
      summary: JSON.parse(String(summary)) as Omit<KeptSummary, 'id'>, // `summarize` wrote it
    }
  }
}

async function readLines(
  reader: Reader,
  id: string,
  epoch: string,
): Promise<{ readonly born: unknown; readonly lines: readonly KeptLine[] } | undefined> {
  const lines: KeptLine[] = []
  let count = 16
  let born: unknown
  for (;;) {
    const [kind, bornNow, page] = await reader.run(
      'lines',
      id,
      epoch,
      String(lines.at(-1)?.revision ?? 0),
      String(count),
    )
    if (kind !== 'ok') return undefined
    if (born !== undefined && bornNow !== born) {
      lines.length = 0
      born = undefined
      continue
    }
    born = bornNow
    const flat = page as readonly string[]
    let size = 0
    for (let i = 0; i < flat.length; i += 2) {
      const text = String(flat[i + 1])
      size += text.length
      lines.push({ revision: Number.parseInt(String(flat[i]), 10), text })
    }
    if (flat.length < count * 2) return { born, lines }
    count = Math.max(1, Math.min(1_000, Math.floor((count * pageSize) / Math.max(size, 1))))
  }
}

export function parseInfo(text: string): ReplicaInfo {
  return JSON.parse(text) as ReplicaInfo // a replica wrote it
}

/** Says why this replica no longer owns a world. `owner` is the text of the new owner, or empty if no replica owns the world. */
export function lossOf(id: string, owner: Reply[number] | undefined): string {
  const info = typeof owner === 'string' && owner !== '' ? parseInfo(owner) : undefined
  if (info) return `the replica ${info.address} runs the world ${quoted(id)} now`
  return `this replica no longer runs the world ${quoted(id)}`
}

export function summaryOf(row: SentTexts): [string, SharedSummary & { readonly bytes: number }] {
  const [id = '', owner, epoch, claimedAt, takenFrom, revision, summary = '', bytes] = row
  const kept = JSON.parse(summary) as Omit<KeptSummary, 'id'> // `summarize` wrote it
  return [
    id,
    {
      ...kept,
      id,
      revision: Number(revision),
      epoch: Number(epoch),
      claimedAt: Number(claimedAt),
      bytes: Number(bytes),
      ...(owner ? { owner: parseInfo(owner) } : {}),
      ...(takenFrom ? { takenFrom } : {}),
    },
  ]
}
