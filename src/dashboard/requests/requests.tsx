import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ShortenedEntry, WaitReason } from '../../core/contract/journal.js'
import { listedText, outageTexts } from '../../core/control/explain/outage-texts.js'
import type { JournalState } from '../../core/control/states.js'
import type { Warning } from '../../core/control/warnings/warning.js'
import { counted, grouped } from '../../core/lib/messages.js'
import { Button, IconButton, Removal, Select } from '../ui/controls.js'
import { duration } from '../ui/format.js'
import { layout, openDialog, runAction } from '../ui/screen.js'
import { Table } from '../ui/table.js'
import { servedParts } from '../world/copy.js'
import { regionName } from '../world/lobby-rows.js'
import { operationName, outcomeOf, sentence, statusKind, timeWords } from '../world/outcome.js'
import { page } from '../world/page-state.js'
import { markedWarning, WarningMark, warnedRequests } from '../world/warned.js'
import { foldRequests, type RequestRow } from './request-rows.js'

const heights = { oneLine: 32, twoLines: 50, phone: 56, here: 30 } as const

/** The line between the requests before the moment of the past, and those after it. */
type Row = RequestRow | { readonly key: 'here' }

/** The panel with the requests. */
export function Requests() {
  const { exchanges, pending, hasAllRequests } = page.live
  /** The id of the newest request when the user paused the list. */
  const pausedAt: Signal<number | undefined> = useSignal(undefined)
  const unfolded: Signal<ReadonlySet<string>> = useSignal(new Set<string>())
  const past = page.past.value
  const shown = shownRequests(pausedAt.value)
  return (
    <section class="pane requests" aria-labelledby="requests">
      <header class="bar">
        <h2 id="requests">Requests</h2>
        <p class="muted">
          {grouped(shown.length)}
          {!hasAllRequests.value && ' shown; the others follow when fewer come'}
        </p>
        {page.isInviting.value ? <HelpTools /> : <RequestTools pausedAt={pausedAt} />}
      </header>
      {!past && <PendingList {...pending.value} />}
      {page.isInviting.value ? (
        servedParts && <servedParts.Invitation />
      ) : (
        <Table
          label={counted(shown.length, 'request', 'requests')}
          items={rowsOf(shown, unfolded.value, past?.nextId)}
          heightOf={heightOf}
          keyOf={({ key }) => key}
          isSelected={row => 'entries' in row && row.entries.some(({ id }) => id === page.requestId.value)}
          rowClass={row => rowClass(row, past?.nextId)}
          row={row => ('entries' in row ? <RequestLine row={row} /> : <Here />)}
          onOpen={row => 'entries' in row && page.open('request', row.entry.id)}
          onUnfold={(row, isOpen) => {
            const next = new Set(unfolded.value)
            const [key = ''] = row.key.split(' ')
            if (isOpen) next.add(key)
            else next.delete(key)
            unfolded.value = next
          }}
          empty={
            exchanges.value.length > 0
              ? 'No request matches the filters.'
              : page.isLoaded.value
                ? 'No request yet.'
                : '…'
          }
        />
      )}
      {servedParts && <servedParts.TryNext />}
    </section>
  )
}

function shownRequests(newest: number | undefined): ShortenedEntry[] {
  const { operation, errors, view, q } = page.address.value
  const span = page.brushed.value
  const text = view === 'requests' && q !== undefined ? q.toLowerCase() : undefined
  return page.live.exchanges.value
    .filter(
      entry =>
        (newest === undefined || entry.id <= newest) &&
        (!errors || statusKind(entry) === 'bad') &&
        (operation === undefined || entry.operation === operation) &&
        (!span || (Date.parse(entry.time) >= span.from && Date.parse(entry.time) <= span.to)) &&
        (text === undefined || `${operationName(entry)} ${entry.path} ${entry.status}`.toLowerCase().includes(text)),
    )
    .reverse()
}

/** Returns the rows of requests. In the past, a line stands between those after the moment and those before it. */
function rowsOf(
  shown: readonly ShortenedEntry[],
  unfolded: ReadonlySet<string>,
  nextId: number | undefined,
): readonly Row[] {
  const fold = (entries: readonly ShortenedEntry[]) =>
    foldRequests(entries, { unfolded, resultOf: entry => outcomeOf(entry, page.live) })
  if (nextId === undefined) return fold(shown)
  const [later, before] = [shown.filter(({ id }) => id >= nextId), shown.filter(({ id }) => id < nextId)]
  return [...fold(later), { key: 'here' }, ...fold(before)]
}

/** Helps before the first request. */
function HelpTools() {
  return (
    <div class="tools">
      <Button class="quiet" onClick={() => (openDialog.value = 'wrong')}>
        Something is wrong?
      </Button>
    </div>
  )
}

function RequestTools({ pausedAt }: { readonly pausedAt: Signal<number | undefined> }) {
  const { brushed, isReadOnly, live } = page
  const { operation = '', errors } = page.address.value
  const span = brushed.value
  const { value: all } = live.exchanges
  const operations = [...new Set(all.map(entry => entry.operation ?? ''))].filter(Boolean).sort()
  const failed = all.reduce((sum, entry) => sum + (statusKind(entry) === 'bad' ? 1 : 0), 0)
  const isPaused = pausedAt.value !== undefined
  const clear = () =>
    runAction(async () => {
      await page.api.call('DELETE /journal')
      if (page.requestId.peek() !== undefined) page.go({ opened: undefined })
    })
  return (
    <div class="tools">
      {span && (
        <Button onClick={() => (brushed.value = undefined)}>
          {page.timeText(span.from)} to {page.timeText(span.to)} <Removal>Show all times</Removal>
        </Button>
      )}
      <Select
        label="Operation"
        class="quiet"
        value={operation}
        options={[['', 'All operations'], ...operations.map(name => [name, name] as const)]}
        onChange={value => page.filter({ operation: value || undefined })}
      />
      <Button class="quiet errors" aria-pressed={errors} onClick={() => page.filter({ errors: !errors })}>
        Errors <span class="count">{grouped(failed)}</span>
      </Button>
      <IconButton
        icon={isPaused ? 'play' : 'pause'}
        aria-label="Pause"
        aria-pressed={isPaused}
        title={isPaused ? 'Follow the newest requests' : 'Pause the list'}
        onClick={() => (pausedAt.value = isPaused ? undefined : (all.at(-1)?.id ?? 0))}
      />
      <IconButton icon="clear" aria-label="Clear" title="Clear the list" disabled={isReadOnly.value} onClick={clear} />
    </div>
  )
}

function heightOf(row: Row): number {
  if (!('entries' in row)) return heights.here
  if (layout.peek() === 'phone') return heights.phone
  const hasReason = statusKind(row.entry) === 'bad' || noteOf(row) !== undefined
  return hasReason && page.past.peek() === undefined ? heights.twoLines : heights.oneLine
}

function rowClass(row: Row, nextId: number | undefined): string {
  if (!('entries' in row)) return 'here'
  if (warningOf(row)) return row.entries.some(({ id }) => isMarked(id)) ? 'warned marked' : 'warned'
  return nextId !== undefined && row.entry.id >= nextId ? 'later' : ''
}

/** Says what is worth a second line of a request that worked: a warning, or the outages that it met. */
function noteOf(row: RequestRow): string | undefined {
  return warningOf(row)?.sentence ?? (outageWords(row.entry) || undefined)
}

/** Says which regions of a find or of a list were down. Empty: none, or another operation. */
function outageWords({ operation, status, body, caller, time }: ShortenedEntry): string {
  if (status !== 200 || (operation !== 'regions.list' && operation !== 'lobbies.find')) return ''
  const { tables, faults } = page.live
  // Most worlds have none, and thousands of rows ask.
  if (faults.value.length === 0) return ''
  const outages = page.outagesAt(Date.parse(time))
  const { game_modes = [], regions } = Object(body)
  const known = { tables, outageOf: (id: string) => outages.get(id) }
  const texts =
    operation === 'regions.list'
      ? [...outages.keys()].map(id => listedText(regionName(id, tables)))
      : outageTexts(caller?.namespace_id ?? '', { game_modes, regions }, known)
  return texts.map(sentence).join(' ')
}

const isMarked = (id: number) => markedWarning.value?.requests.includes(id)

/** Returns the newest warning that a request of the row proves. */
function warningOf({ entries }: RequestRow): Warning | undefined {
  const warned = warnedRequests.value
  if (warned.size === 0) return undefined
  const proof = entries.find(({ id }) => warned.has(id))
  return proof && warned.get(proof.id)
}

/** The place of the moment of the past among the requests. */
function Here() {
  const { past } = page
  return (
    <>
      <b>{past.value && page.timeText(past.value.at)}</b> the world you see
    </>
  )
}

/** The page asks for a long answer once its row has been visible for this time, in ms. */
const outcomeDelayMs = 300

/** Says how a request ended. The events leave out long answers, so it asks for them, but not while too many requests come. */
function useOutcome(entry: ShortenedEntry): string {
  const { api, live } = page
  const whole: Signal<ShortenedEntry | undefined> = useSignal(undefined)
  const { id, answer_bytes } = entry
  const isAsked = answer_bytes !== undefined && live.hasAllRequests.value
  useEffect(() => {
    if (!isAsked) return
    const ask = () =>
      api
        .call('GET /journal/{exchange_id}', { params: { exchange_id: String(id) } })
        .then(answer => (whole.value = answer))
        // The row then says only its operation and status.
        .catch(() => {})
    const timer = setTimeout(ask, outcomeDelayMs)
    return () => clearTimeout(timer)
  }, [api, id, isAsked, whole])
  // A poll shows its last known result until it has the next one.
  return outcomeOf(whole.value ?? entry, live)
}

function RequestLine({ row }: { readonly row: RequestRow }) {
  const { entry, entries, isPart } = row
  const [warning, note] = [warningOf(row), noteOf(row)]
  const result = useOutcome(entry)
  const isBad = statusKind(entry) === 'bad'
  const isPhone = layout.value === 'phone'
  const hasReason = isBad || note !== undefined
  const isInOneLine = (!hasReason || page.past.value !== undefined) && !isPhone
  const hasNote = note !== undefined && !isInOneLine && !isBad
  const words = (text: string, kind: string) => (
    <span class={`cut ${kind}`} dir="auto" title={text}>
      <bdi>{text}</bdi>
    </span>
  )
  return (
    <div class={isPart ? 'request part' : 'request'}>
      <time>{page.timeText(Date.parse(entry.time))}</time>
      <span class={`status ${statusKind(entry)}`}>{entry.status || '–'}</span>
      <span class="what">
        <WarningMark of={warning} />
        <b class="operation cut" dir="auto">
          {operationName(entry)}
        </b>
        {entries.length > 1 && <span class="times">×{grouped(entries.length)}</span>}
        {(isInOneLine || (hasNote && !isPhone)) && words(result, 'outcome')}
      </span>
      <span class="took">{timeWords(entry)}</span>
      {!isInOneLine && (hasNote ? words(note, `reason note ${warning ? 'warn' : ''}`) : words(result, 'reason'))}
    </div>
  )
}

export const waitWords: { readonly [reason in WaitReason]: string } = {
  watch: 'until what it watches changes',
  fault: 'for a fault',
  lobby: 'for its lobby to be ready',
  resolver: 'for a resolver of your code',
  nothing: 'without an answer',
}

const mostPending = 4

function PendingList({ waiting, pending }: Pick<JournalState, 'waiting' | 'pending'>) {
  if (pending.length === 0) return null
  const release = (id: string) =>
    runAction(() => page.api.call('POST /held/{request_id}/release', { params: { request_id: id }, body: {} }))
  return (
    <ul class="pending" aria-label="Requests that wait">
      {pending.slice(0, mostPending).map(({ operation, method, path, since, waits_for, id }, i) => (
        <li key={i}>
          <span dir="auto">
            <b>{operation ?? `${method} ${path}`}</b> {id === undefined ? `waits ${waitWords[waits_for]},` : 'held'} for{' '}
            {duration(Math.max(0, page.now.value - Date.parse(since)))}
          </span>
          {id !== undefined && (
            <>
              <Button onClick={() => page.open('held', id)}>Edit the answer</Button>
              <Button disabled={page.isReadOnly.value} onClick={() => release(id)}>
                Release
              </Button>
            </>
          )}
        </li>
      ))}
      {waiting > mostPending && <li>and {counted(waiting - mostPending, 'request', 'requests')} more</li>}
    </ul>
  )
}
