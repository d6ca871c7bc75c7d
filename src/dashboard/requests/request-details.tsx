import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ClientError } from '../../client/call.js'
import type { ExplainedCandidate, JournalEntry } from '../../core/contract/journal.js'
import type { Explanation } from '../../core/control/explain/explain-find.js'
import type { RecordedChange } from '../../core/control/history.js'
import { exactValue, writeJson } from '../../core/lib/json.js'
import { counted, grouped } from '../../core/lib/messages.js'
import { formatInstant } from '../../core/lib/time.js'
import { fullNameOf } from '../../core/store/namespaces.js'
import { diagramAction } from '../players/player-details.js'
import {
  Button,
  CodeBlock,
  CopyButton,
  copyAction,
  type DetailsAction,
  Parts,
  Reasons,
  SeatBar,
} from '../ui/controls.js'
import { bytes, prettyJson } from '../ui/format.js'
import { Icon } from '../ui/icons.js'
import { openDialog, runAction, saveFile, useLoaded } from '../ui/screen.js'
import { type Column, sorted, Table } from '../ui/table.js'
import { copyParts } from '../world/copy.js'
import { placeName, regionName } from '../world/lobby-rows.js'
import { errorOf, isChosen, kilometersText, operationName, statusKind, timeWords } from '../world/outcome.js'
import { page } from '../world/page-state.js'
import { DetailsPane } from '../world/panes.js'
import { foldCandidates, framedRegions, loserWords, reasonSentence } from './answer-reasons.js'
import { FoundPlayer } from './found-player.js'
import { WhoSatThere } from './full-lobby.js'
import { curlOf, testOf } from './request-code.js'

/** A longer body is cut in the page. In characters. */
const longestShown = 100_000

/** The compared lobbies that are in sight. The others scroll. */
const mostShownCandidates = 6

interface Details {
  readonly entry: JournalEntry
  readonly explanation: Explanation
  /** The token of the player to whom it gave a seat. */
  readonly player: string | undefined
}

/** The details of the chosen request: why first. */
export function RequestDetails() {
  const id = page.requestId.value
  return id === undefined ? null : <ChosenRequest key={id} id={id} />
}

function ChosenRequest({ id }: { readonly id: number }) {
  const details = useLoaded(() => readDetails(id), [page.live.connection.value === 'live'])
  if (typeof details === 'string')
    return (
      <DetailsPane label="The chosen request" title={`Request ${id}`}>
        <p class="empty">
          {details}
          <Button onClick={() => page.go({ opened: undefined })}>Newest requests</Button>
        </p>
      </DetailsPane>
    )
  return details ? <Shown {...details} /> : <DetailsPane label="The chosen request" title="…" children={null} />
}

async function readDetails(id: number): Promise<Details | string> {
  try {
    const [entry, explanation] = await Promise.all([
      page.api.call('GET /journal/{exchange_id}', { params: { exchange_id: String(id) } }),
      page.api.call('GET /explain', { query: { exchange: id } }),
    ])
    return { entry, explanation, player: await playerOf(entry) }
  } catch (error) {
    const { status, message } = error as ClientError // of a call
    return status === 404 ? `Request ${grouped(id)} is no longer kept.` : message
  }
}

/** Returns the token of the player whom a request has made. The answer in the journal has it cut. */
async function playerOf({ answer, revisions = [] }: JournalEntry): Promise<string | undefined> {
  if (Object(answer).player === undefined) return undefined
  const changes = await readChanges(revisions)
  if (typeof changes === 'string') return undefined
  return changes.find(({ table, before }) => table === 'players' && !before)?.id
}

type Part = 'sent' | 'answer' | 'headers' | 'world'

const partNames: readonly [Part, text: string][] = [
  ['sent', 'Sent'],
  ['answer', 'Answer'],
  ['headers', 'Headers'],
  ['world', 'Changed'],
]

function Shown({ entry, explanation, player }: Details) {
  const part = useSignal<Part>('sent')
  const { status, answer, time } = entry
  return (
    <DetailsPane
      label="The chosen request"
      title={operationName(entry)}
      facts={
        <p class="muted cut">
          <span class={statusKind(entry)}>
            {status === 0 ? 'no answer' : status} {errorOf(answer).code}
          </span>{' '}
          at {page.timeText(Date.parse(time))}, <span class="took">{timeWords(entry)}</span>
        </p>
      }
      actions={actionsOf(entry, player)}
    >
      <div class="block">
        {copyParts && <copyParts.ErrorBadge />}
        <p class="sentence" dir="auto">
          {reasonSentence(entry, explanation, page.live)}
        </p>
        <Facts entry={entry} player={player} />
      </div>
      <Candidates explanation={explanation} />
      <WhoSatThere seats={explanation.seats} />
      {player !== undefined && <FoundPlayer key={player} token={player} />}
      <Parts label="Parts of the request" parts={partNames} chosen={part} />
      <div class="block">
        {part.value === 'sent' && <Sent request={entry} />}
        {part.value === 'answer' && <Body value={exactValue(entry, 'answer')} label="Body of the answer" />}
        {part.value === 'headers' && <Headers entry={entry} />}
        {part.value === 'world' && <WorldChanges entry={entry} />}
        <details>
          <summary>What else the mock knows</summary>
          <Reasons texts={explanation.because} />
        </details>
      </div>
    </DetailsPane>
  )
}

function Facts({ entry: { caller, answer }, player }: Pick<Details, 'entry' | 'player'>) {
  const { tables } = page.live
  const { kind = '', namespace_id } = caller ?? {}
  const lobbyId = Object(Object(answer).lobby).lobby_id
  const lobby = tables.lobbies.get(lobbyId)
  const hasToken = caller && kind !== 'anonymous' && kind !== 'tokenless'
  const owner = namespace_id !== undefined && tables.namespaces.has(namespace_id) && fullNameOf(namespace_id, tables)
  return (
    <p class="muted" dir="auto">
      {hasToken ? `A ${kind.replace('_', ' ')} token` : 'No token'}
      {owner && ` of ${owner}`}.
      {typeof lobbyId === 'string' && (
        <>
          {' '}
          Gave {player === undefined ? 'a seat' : 'the seat to '}
          {player !== undefined && (
            <Button class="link" onClick={() => page.open('player', player)}>
              {page.live.nameOf(player) ?? 'a player'}
            </Button>
          )}{' '}
          in{' '}
          <Button class="link" onClick={() => page.open('lobby', lobbyId)}>
            {lobby ? placeName(lobby, tables) : lobbyId.slice(0, 8)}
          </Button>
          .
        </>
      )}
    </p>
  )
}

type SentParts = Pick<JournalEntry, 'method' | 'path' | 'query' | 'body'>

/** Shows what a client sent. */
export function Sent({ request }: { readonly request: SentParts }) {
  const { method, path } = request
  return (
    <>
      <p>
        <b>{method}</b>{' '}
        <code dir="auto">
          {path}
          {queryText(request)}
        </code>
      </p>
      <Body value={exactValue(request, 'body')} label="Body of the request" />
    </>
  )
}

function queryText({ query }: SentParts): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => [value].flat().map(one => [name, one]))
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}

/** The compared lobbies as a table. The map frames their regions meanwhile. */
function Candidates({ explanation: { candidates = [] } }: Pick<Details, 'explanation'>) {
  const [sort, isUnfolded] = [useSignal(''), useSignal(false)]
  useEffect(() => {
    if (candidates.length === 0) return
    page.compared.value = candidates
    page.framed.value = framedRegions(candidates)
    return () => {
      page.framed.value = undefined
      page.compared.value = undefined
    }
  }, [candidates])
  if (candidates.length === 0) return null
  const columns = candidateColumns(candidates)
  const { listed, others } = foldCandidates(candidates)
  const shown = isUnfolded.value ? candidates : listed
  return (
    <section class="candidates" aria-label="The lobbies that find compared">
      <h3 class="block">{counted(candidates.length, 'lobby', 'lobbies')} compared</h3>
      {shown.length > 0 && (
        <div class="fixed" style={{ height: `${29 + 30 * Math.min(shown.length, mostShownCandidates)}px` }}>
          <Table
            label={counted(candidates.length, 'compared lobby', 'compared lobbies')}
            items={sorted(shown, columns, sort.value)}
            columns={columns}
            sort={sort.value}
            onSort={next => (sort.value = next)}
            keyOf={({ lobby_id }) => lobby_id}
            isSelected={isChosen}
            rowClass={one => (isChosen(one) ? '' : 'quiet')}
            onOpen={({ lobby_id }) => page.open('lobby', lobby_id)}
            empty=""
          />
        </div>
      )}
      {others !== '' && (
        <Button class="quiet" aria-expanded={isUnfolded.value} onClick={() => (isUnfolded.value = !isUnfolded.value)}>
          <Icon name={isUnfolded.value ? 'down' : 'forward'} /> {others}
        </Button>
      )}
    </section>
  )
}

function candidateColumns(candidates: readonly ExplainedCandidate[]): readonly Column<ExplainedCandidate>[] {
  const { tables } = page.live
  const region = ({ region_id }: ExplainedCandidate) => regionName(region_id, tables)
  return [
    {
      key: 'lobby',
      title: 'Lobby',
      width: 82,
      sortBy: ({ lobby_id }) => lobby_id,
      hint: ({ lobby_id }) => lobby_id,
      cell: ({ lobby_id }) => <code>{lobby_id.slice(0, 8)}</code>,
    },
    { key: 'region', title: 'Region', width: 82, sortBy: region, cell: region },
    {
      key: 'seats',
      title: 'Seats then',
      width: 134,
      sortBy: ({ free_seats }) => -free_seats,
      cell: ({ lobby_id, free_seats }) => {
        const max = tables.lobbies.get(lobby_id)?.max_players_normal
        return max === undefined ? `${grouped(free_seats)} free` : <SeatBar taken={max - free_seats} max={max} />
      },
    },
    {
      key: 'distance',
      title: 'Distance',
      width: 92,
      sortBy: ({ kilometers }) => kilometers,
      cell: ({ kilometers }) => kilometersText(kilometers),
    },
    {
      key: 'why',
      title: 'Why it lost',
      width: 128,
      sortBy: ({ because }) => because ?? '',
      hint: ({ because }) => because,
      cell: one => (isChosen(one) ? <b class="accent">chosen</b> : loserWords(one, candidates)),
    },
  ]
}

function Body({ value, label }: { readonly value: unknown; readonly label: string }) {
  if (value === undefined) return <p class="muted">No body.</p>
  const text = prettyJson(value)
  if (text.length <= longestShown) return <CodeBlock text={text} label={label} />
  return (
    <>
      <CodeBlock text={text.slice(0, longestShown)} label={label} />
      <p class="muted">
        Only the start of {bytes(text)}. <CopyButton label="Copy all" text={() => text} />
      </p>
    </>
  )
}

function Headers({ entry }: { readonly entry: JournalEntry }) {
  const lines = Object.entries(entry.headers).flatMap(([name, value]) => [value].flat().map(one => `${name}: ${one}`))
  return <CodeBlock text={lines.join('\n')} label="Headers of the request" />
}

function WorldChanges({ entry }: { readonly entry: JournalEntry }) {
  const { revisions = [] } = entry
  const changes = useLoaded(() => readChanges(revisions).catch((error: Error) => error.message), [entry])
  if (revisions.length === 0) return <p class="muted">It changed nothing in the world.</p>
  if (changes === undefined) return <p class="muted">…</p>
  if (typeof changes === 'string') return <p class="muted">{changes}</p>
  return (
    <ul class="changes">
      {changes.map(({ table, id, before, after }, i) => (
        <li key={i}>
          <b>{!before ? 'new' : !after ? 'deleted' : 'changed'}</b> {table} <code dir="auto">{id}</code>
          <CodeBlock label={`Columns of ${table}`} text={columnLines(before, after).join('\n')} />
        </li>
      ))}
    </ul>
  )
}

async function readChanges(revisions: readonly number[]): Promise<RecordedChange[] | string> {
  const [first] = revisions
  if (first === undefined) return []
  const { change_sets, oldest } = await page.api.call('GET /history', { query: { since: first - 1, limit: 1_000 } })
  if (first <= oldest) return 'The history no longer has the changes of this request.'
  return change_sets.filter(({ revision }) => revisions.includes(revision)).flatMap(({ changes }) => [...changes])
}

/** Writes the columns that differ: `total_player_count: 3 → 4`. */
function columnLines(before: object | undefined, after: object | undefined): string[] {
  const [old, changed] = [before, after].map(row => (row ?? {}) as Readonly<Record<string, unknown>>)
  const names = [...new Set([...Object.keys(old ?? {}), ...Object.keys(changed ?? {})])]
  return names.flatMap(name => {
    const [from, to] = [old, changed].map(row => valueText(name, row ?? {}))
    if (from === to) return []
    return [`${name}: ${[from, to].filter(text => text !== '' || (before && after)).join(' → ') || 'none'}`]
  })
}

/** Writes a value of a row: an instant for `expires_at` and its like, and short JSON for others. */
function valueText(name: string, row: Readonly<Record<string, unknown>>): string {
  const value = row[name]
  if (value === undefined) return ''
  if (name.endsWith('_at') && typeof value === 'number') return formatInstant(value)
  const text = writeJson(exactValue(row, name))
  return text.length > 400 ? `${text.slice(0, 400)}… (${bytes(text)})` : text
}

function actionsOf(entry: JournalEntry, player: string | undefined): DetailsAction[] {
  const { id } = entry
  const isOff = page.isReadOnly.value
  const sentRequest = () => page.api.call('GET /journal/{exchange_id}/request', { params: { exchange_id: String(id) } })
  const save = async () => {
    const yaml = await page.api.text('GET /snapshot', { query: { before: id, with: 'faults' } }, 'application/yaml')
    saveFile('world.yaml', yaml)
    return 'Saved the world before this request as world.yaml.'
  }
  const edit = async () => {
    page.repeated.value = { entry, request: await sentRequest() }
    openDialog.value = 'send-again'
  }
  const makeFault = () => {
    page.faultDraft.value = entry
    page.show('faults')
  }
  const seeWorld = () => {
    const [first] = entry.revisions ?? []
    if (first === undefined) page.travelToTime(Date.parse(entry.time))
    else page.travelTo(first)
  }
  // The mock has the whole tokens of the requests that it answered itself, and not of those in a file.
  const copies = page.live.about.value?.read_only
    ? []
    : [
        copyAction('copy-curl', 'Copy as curl', async () => curlOf(await sentRequest(), page.api.url)),
        copyAction('copy-test', 'Copy as test', async () => testOf(await sentRequest(), entry)),
        ...(player === undefined ? [] : [diagramAction(player)]),
      ].map(action => ({ ...action, menu: 'Copy' as const }))
  const isLost = page.live.connection.value !== 'live'
  return [
    { id: 'see-then', label: 'See the world then', kind: 'main', isOff: isLost, run: seeWorld },
    ...copies,
    { id: 'send-again', label: 'Send again', isOff, run: () => runAction(edit) },
    { id: 'make-fault', label: 'Make a fault', isOff, run: makeFault },
    { id: 'save-before', label: 'Save the world before this', menu: 'More', run: () => runAction(save) },
  ]
}
