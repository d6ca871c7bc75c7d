import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type WarningRule, warningRules } from '../../core/contract/warnings.js'
import type { Warning } from '../../core/control/warnings/warning.js'
import { counted, grouped } from '../../core/lib/messages.js'
import { Requests } from '../requests/requests.js'
import { Button, CopyButton, Select } from '../ui/controls.js'
import { duration } from '../ui/format.js'
import { Icon } from '../ui/icons.js'
import { layout } from '../ui/screen.js'
import { targetOf } from '../ui/table.js'
import { placeName } from '../world/lobby-rows.js'
import { page } from '../world/page-state.js'
import { markedWarning } from '../world/warned.js'

/** A warning names this many of its players, and has as many links to their stories. */
const mostPlayers = 3

/** The mistakes of clients and game servers, and the requests beside them. */
export function Warnings() {
  const { warnings, dropped } = page.live.warnings.value
  // They bring the names of players.
  page.live.stories.value
  const rule = useSignal<WarningRule | ''>('')
  const [chosen, pointed] = [useSignal<number | undefined>(undefined), useSignal<number | undefined>(undefined)]
  const all = useOrder(warnings)
  const shown = all.filter(warning => rule.value === '' || warning.rule === rule.value)
  const opened = chosen.value ?? (layout.value === 'phone' ? shown[0]?.id : undefined)
  const rules = [...new Set(all.map(warning => warning.rule))].sort()
  const marked = shown.find(({ id }) => id === (pointed.value ?? opened))
  useEffect(() => {
    markedWarning.value = marked
    return () => void (markedWarning.value = undefined)
  }, [marked])
  const move = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return
    const index = shown.findIndex(({ id }) => id === opened)
    if (event.key === 'Enter' && shown[index]) evidenceOf(shown[index])[0]?.open()
    const next = shown[targetOf(event.key, { index, last: shown.length - 1, page: 1 }) ?? -1]
    if (!next) return
    event.preventDefault()
    chosen.value = next.id
    document.getElementById(`warning-${next.id}`)?.scrollIntoView({ block: 'nearest' })
  }
  return (
    <>
      <section class="pane" aria-labelledby="warnings">
        <header class="bar">
          <h2 id="warnings">Warnings</h2>
          <p class="muted">
            {grouped(all.length)}
            {layout.value !== 'phone' && ', what a player would feel or the real service would punish'}
          </p>
          <div class="tools">
            <Select
              label="Rule"
              value={rule.value}
              options={[['', 'All rules'], ...rules.map(name => [name, name] as const)]}
              onChange={value => (rule.value = value as WarningRule | '')} // the options are rules
            />
            <CopyButton label="Copy all" text={() => shown.map(textOf).join('\n\n')} />
          </div>
        </header>
        <div
          class="table"
          role="grid"
          aria-label={counted(shown.length, 'warning', 'warnings')}
          aria-activedescendant={opened === undefined ? undefined : `warning-${opened}`}
          tabIndex={0}
          onKeyDown={move}
        >
          {shown.length === 0 && (
            <div role="row">
              <div role="gridcell" class="empty">
                No warnings. <RulesOn />
              </div>
            </div>
          )}
          {shown.map(warning => (
            <WarningRow
              key={warning.id}
              warning={warning}
              isOpen={warning.id === opened}
              onOpen={() => (chosen.value = warning.id)}
              onPoint={isOver => (pointed.value = isOver ? warning.id : undefined)}
            />
          ))}
        </div>
        {shown.length > 0 && layout.value !== 'phone' && (
          <footer class="foot muted">
            <RulesOn /> Turn one off in the scenario with <code>warnings: {'{ hot loop: off }'}</code>.
            {dropped > 0 && ` ${counted(dropped, 'more mistake is', 'more mistakes are')} not listed.`}
          </footer>
        )}
      </section>
      {layout.value !== 'phone' && <Requests />}
    </>
  )
}

/** Returns the warnings, the newest first. Each keeps its place until the view is opened anew. */
function useOrder(warnings: readonly Warning[]): readonly Warning[] {
  const order = useRef<readonly number[]>([])
  const byId = new Map(warnings.map(warning => [warning.id, warning]))
  const isNew = ({ id }: Warning) => !order.current.includes(id)
  const added = warnings.filter(isNew).sort((one, other) => (one.last_at < other.last_at ? 1 : -1))
  order.current = [...added.map(({ id }) => id), ...order.current.filter(id => byId.has(id))]
  return order.current.flatMap(id => byId.get(id) ?? [])
}

function RulesOn() {
  const { warnings: set = {} } = page.live.tables.settings.get('settings') ?? {}
  const off = Object.values(set).filter(value => value === 'off').length
  return <>{counted(warningRules.length - off, 'rule watches', 'rules watch')} this world.</>
}

interface WarningRowProps {
  readonly warning: Warning
  readonly isOpen: boolean
  onOpen(): void
  onPoint(isOver: boolean): void
}

function WarningRow({ warning, isOpen, onOpen, onPoint }: WarningRowProps) {
  const { id, rule, sentence, advice, count, first_at, last_at, revision } = warning
  const isWhole = isOpen || layout.value !== 'phone'
  const seeThen = () => {
    page.show('world')
    page.travelTo(revision)
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list handles the keys
    <div
      id={`warning-${id}`}
      role="row"
      class="warning"
      aria-selected={isOpen}
      onClick={onOpen}
      onPointerEnter={() => onPoint(true)}
      onPointerLeave={() => onPoint(false)}
    >
      <div role="gridcell">
        <span class="badge warn">
          <Icon name="warning" /> {rule}
        </span>
      </div>
      <div role="gridcell" class="what">
        <p class="muted">{subjectOf(warning)}</p>
        <h3 class="sentence">{sentence}</h3>
        {isWhole && <p>{advice}</p>}
        {isWhole && (
          <p class="evidence">
            {evidenceOf(warning).map(({ text, open }) => (
              <Button key={text} class="link" onClick={open}>
                {text}
              </Button>
            ))}
          </p>
        )}
      </div>
      <div role="gridcell" class="when muted">
        <b>×{grouped(count)}</b> {first_at !== last_at && duration(Date.parse(last_at) - Date.parse(first_at))}
        <br />
        {timesOf(warning)}
        {isOpen && layout.value !== 'phone' && (
          <Button disabled={page.live.oldestRevision.value > revision} onClick={seeThen}>
            See it then
          </Button>
        )}
      </div>
    </div>
  )
}

function timesOf({ first_at, last_at }: Warning): string {
  const times = [first_at, last_at].map(time => page.timeText(Date.parse(time)))
  return [...new Set(times)].join(' – ')
}

/** The page has heard of the story before, or hears of it soon. */
const nameOf = (token: string) => page.live.nameOf(token) ?? 'a player'

/** Says what a warning is about: `client 127.0.0.1:51884 · devices.links.get`. */
function subjectOf({ address, operation, device_link, players = [], lobby_id, game_mode_id }: Warning): string {
  const { tables } = page.live
  const lobby = lobby_id === undefined ? undefined : tables.lobbies.get(lobby_id)
  const names = players.slice(0, mostPlayers).map(nameOf).join(', ')
  return [
    address && `client ${address}`,
    operation,
    device_link && `link ${device_link}`,
    players.length > mostPlayers ? `${names} and ${players.length - mostPlayers} more` : names,
    lobby ? placeName(lobby, tables) : lobby_id && `lobby ${lobby_id}`,
    game_mode_id && `game mode ${game_mode_id}`,
  ]
    .filter(Boolean)
    .join(' · ')
}

interface Evidence {
  readonly text: string
  open(): void
}

/** Lists what proves a warning, as links. */
function evidenceOf({ requests, players = [], lobby_id, device_link }: Warning): readonly Evidence[] {
  const { tables, servers } = page.live
  const lobby = lobby_id === undefined ? undefined : tables.lobbies.get(lobby_id)
  const ends = [...new Set([...requests.slice(0, 1), ...requests.slice(-1)])]
  return [
    ...ends.map((id, i) => ({
      text: `request ${id}${ends.length === 1 ? '' : i === 0 ? ', the first' : ', the last'}`,
      open: () => page.open('request', id),
    })),
    ...players
      .slice(0, mostPlayers)
      .map(token => ({ text: `story of ${nameOf(token)}`, open: () => page.open('player', token) })),
    ...(lobby ? [{ text: `lobby ${placeName(lobby, tables)}`, open: () => page.open('lobby', lobby.lobby_id) }] : []),
    ...servers.value
      .filter(server => server.lobby_id === lobby_id)
      .map(server => ({ text: 'log of the server', open: () => page.open('server', server.lobby_id) })),
    ...(device_link === undefined ? [] : [{ text: `link ${device_link}`, open: () => page.show('devices') }]),
  ]
}

function textOf(warning: Warning): string {
  const { rule, sentence, advice, count } = warning
  return `warning: ${rule}, ×${grouped(count)}, ${timesOf(warning)}, ${subjectOf(warning)}\n${sentence}\n${advice}`
}
