import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ShortenedEntry, WaitReason } from '../contract/journal.js'
import type { JournalState } from '../control/states.js'
import { counted, grouped } from '../lib/text.js'
import { timeOfDay } from '../lib/time.js'
import { ConnectGuide } from './connect.js'
import { Removal, Select } from './controls.js'
import { duration } from './format.js'
import { outcomeOf, statusKind, timeWords } from './outcome.js'
import { page } from './page-state.js'
import { RequestDetails } from './request-details.js'
import { RowsGrid } from './rows-grid.js'

const rowHeight = 48

/** The panel with the requests, and the details of one. */
export function Requests() {
  const { exchanges, pending } = page.live
  const operation = useSignal('')
  const onlyErrors = useSignal(false)
  /** The id of the newest request when the user paused the list. */
  const pausedAt = useSignal<number | undefined>(undefined)
  const span = page.brushed.value
  const newest = pausedAt.value
  const past = page.past.value
  const shown = exchanges.value.filter(
    entry =>
      (newest === undefined || entry.id <= newest) &&
      (!past || entry.id < past.nextId) &&
      (!onlyErrors.value || statusKind(entry) === 'bad') &&
      (operation.value === '' || entry.operation === operation.value) &&
      (!span || (Date.parse(entry.time) >= span.from && Date.parse(entry.time) <= span.to)),
  )
  shown.reverse()
  const operations = [...new Set(exchanges.value.map(entry => entry.operation ?? ''))].filter(Boolean).sort()
  return (
    <section class="panel requests" aria-labelledby="requests">
      <header>
        <h2 id="requests">Requests</h2>
        <p class="muted">
          {grouped(shown.length)}
          {!page.live.hasAllRequests.value && ' shown; the others follow when fewer come'}
        </p>
        <div class="tools">
          {span && (
            <button type="button" class="main" onClick={() => (page.brushed.value = undefined)}>
              {timeOfDay(span.from)} to {timeOfDay(span.to)} <Removal>Show all times</Removal>
            </button>
          )}
          <Select
            label="Operation"
            value={operation.value}
            options={[['', 'All operations'], ...operations.map(name => [name, name] as const)]}
            onChange={value => (operation.value = value)}
          />
          <button type="button" aria-pressed={onlyErrors.value} onClick={() => (onlyErrors.value = !onlyErrors.value)}>
            Errors
          </button>
          <button
            type="button"
            aria-pressed={newest !== undefined}
            onClick={() => (pausedAt.value = newest === undefined ? (exchanges.value.at(-1)?.id ?? 0) : undefined)}
          >
            Pause
          </button>
          <button
            type="button"
            disabled={page.isReadOnly.value}
            onClick={() =>
              page.run(async () => {
                await page.api.call('DELETE /journal')
                page.requestId.value = undefined
              })
            }
          >
            Clear
          </button>
        </div>
      </header>
      {!past && <PendingList {...pending.value} />}
      <RowsGrid
        label={counted(shown.length, 'request', 'requests')}
        items={shown}
        rowHeight={rowHeight}
        selectedKey={page.requestId.value}
        keyOf={({ id }) => id}
        rowClass={statusKind}
        cells={entry => [<RequestLine key="line" entry={entry} />]}
        onOpen={({ id }) => (page.requestId.value = id)}
        empty={exchanges.value.length > 0 ? 'No request matches the filters.' : <FirstRequest />}
      />
      <RequestDetails />
    </section>
  )
}

/** Helps to send the first request. */
function FirstRequest() {
  return (
    <>
      <h3>No request yet. Connect a client:</h3>
      <ConnectGuide />
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
        // The row then says how long the answer was.
        .catch(() => {})
    const timer = setTimeout(ask, outcomeDelayMs)
    return () => clearTimeout(timer)
  }, [api, id, isAsked, whole])
  return outcomeOf(whole.value ?? entry, live.tables)
}

function RequestLine({ entry }: { readonly entry: ShortenedEntry }) {
  const outcome = useOutcome(entry)
  return (
    <span class="request">
      <time class="muted">{timeOfDay(Date.parse(entry.time))}</time>
      <b class={statusKind(entry)}>{entry.status || '–'}</b>
      <b class="operation" dir="auto">
        {entry.operation ?? `${entry.method} ${entry.path}`}
      </b>
      <span class="took muted">{timeWords(entry)}</span>
      <span class="outcome" dir="auto">
        {entry.fault !== undefined && <b class="badge">fault {entry.fault}</b>} {outcome}
      </span>
    </span>
  )
}

const waitWords: { readonly [reason in WaitReason]: string } = {
  watch: 'until what it watches changes',
  fault: 'for a fault to let it go',
  lobby: 'for its lobby to be ready',
  resolver: 'for a resolver of your code',
  nothing: 'without an answer',
}

/** The most waiting requests that are listed. */
const mostPending = 4

function PendingList({ waiting, pending }: Pick<JournalState, 'waiting' | 'pending'>) {
  if (pending.length === 0) return null
  const release = (id: string) =>
    page.run(() => page.api.call('POST /faults/{fault_id}/release', { params: { fault_id: id }, body: {} }))
  return (
    <ul class="pending" aria-label="Requests that wait">
      {pending.slice(0, mostPending).map(({ operation, method, path, since, waits_for, fault }, i) => (
        <li key={i}>
          <span dir="auto">
            <b>{operation ?? `${method} ${path}`}</b> waits {waitWords[waits_for]},{' '}
            {duration(Math.max(0, page.now.value - Date.parse(since)))} so far
          </span>
          {waits_for === 'fault' && fault !== undefined && (
            <button type="button" disabled={page.isReadOnly.value} onClick={() => release(fault)}>
              Release
            </button>
          )}
        </li>
      ))}
      {waiting > mostPending && <li>and {counted(waiting - mostPending, 'request', 'requests')} more</li>}
    </ul>
  )
}
