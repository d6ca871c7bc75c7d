import { signal } from '@preact/signals'
import { Fragment } from 'preact'
import { useEffect, useLayoutEffect } from 'preact/hooks'
import { counted } from '../../core/lib/messages.js'
import { freeSeats } from '../../core/store/lobby-rules.js'
import { Button, IconButton, SeatBar, Select } from '../ui/controls.js'
import { openDialog, runAction, useLoaded } from '../ui/screen.js'
import { modeOptions, regionName } from '../world/lobby-rows.js'
import { fits, kilometersText } from '../world/outcome.js'
import { page } from '../world/page-state.js'
import { FirstCode } from './client-code.js'
import { failNextFind, findSeat, invitesToFind, tokenFor } from './find-seat.js'
import { candidatesShown, question } from './invitation-words.js'

// What the page says while a world has no request, and after the first ones.

/** Invites to the first find. */
export function Invitation() {
  return (
    <div class="invitation body">
      <FindInvitation />
      <div class="block code-first">
        <Code title="Or send the first request from your code" />
        <p class="muted">
          It appears here within the second.{' '}
          <Button class="link" onClick={() => (openDialog.value = 'connect')}>
            Connect a client
          </Button>
        </p>
      </div>
      <p class="block muted others">
        <span>
          Other worlds:{' '}
          {otherWorlds.map(([id, name], i) => (
            <Fragment key={id}>
              {i > 0 && ' · '}
              <Button class="link" onClick={() => openScenario(id)}>
                {name}
              </Button>
            </Fragment>
          ))}
        </span>
      </p>
    </div>
  )
}

function openFirstFind(): void {
  const [first] = page.live.exchanges.peek()
  const isFree = page.opened.peek() === undefined && page.view.peek() === 'world' && openDialog.peek() === undefined
  if (isFree && first?.operation === 'lobbies.find') page.open('request', first.id)
}

function Code({ title }: { readonly title: string }) {
  return (
    <>
      <h2>{title}</h2>
      <FirstCode url={page.api.url} token={tokenFor(page.mode.value)} mode={page.modeName()} />
    </>
  )
}

const otherWorlds = [
  ['friday-night', 'Friday night'],
  ['server-crash', 'Server crash'],
  ['region-down', 'Region down'],
] as const

/** Opens a world with a shipped scenario. The first time, it makes the world. */
async function openScenario(id: string): Promise<void> {
  await runAction(async () => {
    const mock = page.api.ofMock()
    const { worlds } = await mock.call('GET /worlds')
    if (!worlds.some(world => world.id === id))
      await mock.call('PUT /worlds/{world_id}', { params: { world_id: id }, body: { scenario: id } })
    page.openWorld(id)
  })
}

function FindInvitation() {
  const { tables } = page.shown.value
  const mode = page.mode.value
  const { namespace_id, game_mode_id = '' } = tables.gameModes.get(mode ?? '') ?? {}
  const explain = () => page.api.call('GET /explain', { query: { find: game_mode_id, namespace: namespace_id } })
  const loaded = useLoaded(async () => (mode ? (await explain()).candidates : []), [mode, page.live.finds.value])
  const fitting = loaded?.filter(fits)
  useEffect(() => {
    page.candidates.value = fitting ?? []
    return () => void (page.candidates.value = [])
  }, [loaded])
  if (mode === undefined || !fitting) return null
  const shown = candidatesShown(fitting)
  const point = (region: string | undefined) => () => void (page.pointed.value = region)
  return (
    <div class="block invite">
      <p class="sentence" dir="auto">
        {page.findIn(mode)?.refusal ?? question(game_mode_id, fitting, tables)}
      </p>
      {shown.length > 0 && (
        <ul>
          {shown.map(({ lobby_id, region_id, kilometers, free_seats }) => {
            const { max_players_normal: max = free_seats, reserved_player_count = 0 } =
              tables.lobbies.get(lobby_id) ?? {}
            return (
              <li key={lobby_id}>
                <Button
                  onClick={() => page.open('lobby', lobby_id)}
                  onPointerEnter={point(region_id)}
                  onPointerLeave={point(undefined)}
                  onFocus={point(region_id)}
                  onBlur={point(undefined)}
                >
                  <span class="cut">{regionName(region_id, tables)}</span>
                  <span class="muted">{kilometersText(kilometers)}</span>
                  <SeatBar
                    taken={max - free_seats - reserved_player_count}
                    onTheWay={reserved_player_count}
                    max={max}
                  />
                </Button>
              </li>
            )
          })}
        </ul>
      )}
      <div class="find">
        <Button class="main" disabled={!invitesToFind()} onClick={() => findSeat()}>
          Find a seat <kbd>Enter</kbd>
        </Button>
        <Select
          label="Mode"
          value={mode}
          options={modeOptions(tables)}
          onChange={value => (page.findMode.value = value)}
        />
      </div>
      <p class="muted">The mock answers as the service would, draws the way on the map, and says why.</p>
    </div>
  )
}

/** The user does not want it any more. */
const isDismissed = signal(false)

interface Trial {
  readonly title: string
  readonly text: string
  readonly keys?: readonly string[]
  run(): unknown
}

/** Suggests what to try after the first requests. The first find opens itself, wherever it comes from, and however long it waits. */
export function TryNext() {
  const isEmpty = page.isLoaded.value && page.live.exchanges.value.length === 0
  // Not after the next frame: by then the find may be there.
  useLayoutEffect(() => (isEmpty ? openFirstFind : undefined), [isEmpty])
  if (isDismissed.value || page.isInviting.value || !invitesToFind()) return null
  return (
    <section class="try-next" aria-label="Try next">
      <header>
        <h2>Try next</h2>
        <IconButton icon="close" aria-label="Hide" onClick={() => (isDismissed.value = true)} />
      </header>
      {trials().map(({ title, text, keys = [], run }) => (
        <Button key={title} onClick={() => run()}>
          <span class="cut">
            <b dir="auto">{title}</b>
            <small class="cut">{text}</small>
          </span>
          {keys.map((key, i) => (
            <kbd key={i}>{key}</kbd>
          ))}
        </Button>
      ))}
      <div class="block">
        <Code title="The same from your code" />
      </div>
    </section>
  )
}

function trials(): readonly Trial[] {
  const { tables } = page.shown.value
  const other = [...tables.gameModes.keys()].find(key => key !== page.mode.value)
  return [
    { ...again(), keys: ['Enter'], run: () => findSeat() },
    ...(other === undefined
      ? []
      : [
          {
            title: `Find in ${tables.gameModes.get(other)?.game_mode_id}`,
            text: otherText(other),
            run: () => findSeat(other),
          },
        ]),
    {
      title: 'Fail the next find',
      text: '503, as the service does under load',
      ...(page.opened.value?.kind !== 'request' && { keys: ['F'] }),
      run: failNextFind,
    },
    {
      title: 'Move the clock: +2 min',
      text: 'A seat that nobody takes ends',
      keys: ['+', '+'],
      run: () => runAction(() => page.api.call('POST /clock/advance', { body: { by: '2m' } })),
    },
  ]
}

function again(): Pick<Trial, 'title' | 'text'> {
  const { tables } = page.shown.value
  const last = page.live.exchanges.value.findLast(({ operation }) => operation === 'lobbies.find')
  if (!last) return { title: 'Find a seat', text: 'Who wins?' }
  const lobby = tables.lobbies.get(Object(Object(last.answer).lobby).lobby_id)
  const isFull = lobby && freeSeats(lobby) <= 0
  return {
    title: 'Find again',
    text: isFull ? `${regionName(lobby.region_id, tables)} is full now: who wins?` : 'Who wins now?',
  }
}

function otherText(mode: string): string {
  const { tables } = page.shown.value
  const { refusal, lobby_id = '' } = page.findIn(mode) ?? {}
  const lobby = tables.lobbies.get(lobby_id)
  if (!lobby) return refusal ?? question(tables.gameModes.get(mode)?.game_mode_id ?? mode, [], tables)
  return `${counted(freeSeats(lobby), 'free seat', 'free seats')} in ${regionName(lobby.region_id, tables)}`
}
