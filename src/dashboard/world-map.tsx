import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Coordinates } from '../contract/regions.js'
import type { ExplainedChoice } from '../control/explain-find.js'
import { landPath, landScale } from '../generated/land.js'
import { counted, grouped } from '../lib/text.js'
import { Select } from './controls.js'
import { useWidth } from './hooks.js'
import { modeOptions, type RegionSums, regionName, sumRegions } from './lobby-rows.js'
import { type Box, layOut, type PlacedRegion } from './map-layout.js'
import { page } from './page-state.js'
import { type MapPoint, mapHeight, mapWidth, project, unproject } from './projection.js'

/** The radius of the busiest region, and the smallest radius, in units of the map. */
const largestRadius = 26
const smallestRadius = 5

/** The height of the labels on the screen, in px. */
const textPx = 11

/** The longest name of a region on the map, in characters. */
const longestName = 30

/** The panel with the map of the world. */
export function WorldMap() {
  const { tables } = page.shown.value
  const sums = sumRegions(tables)
  const players = sums.reduce((sum, region) => sum + region.players, 0)
  const lobbies = sums.reduce((sum, region) => sum + region.lobbies, 0)
  const { value: data } = page.live.data
  const mode = useSignal<string | undefined>(undefined)
  const modeKey = mode.value ?? tables.gameModes.keys().next().value
  const choice =
    page.past.value === undefined
      ? page.live.finds.value.find(one => `${one.namespace_id}/${one.game_mode_id}` === modeKey)
      : undefined
  return (
    <section class="panel world" aria-labelledby="world">
      <header>
        <h2 id="world">World</h2>
        <p class="muted">
          {counted(players, 'player', 'players')} in {counted(lobbies, 'lobby', 'lobbies')},{' '}
          {counted(sums.length, 'region', 'regions')}
          {data && `, kept in ${data.place}`}
        </p>
        {modeKey !== undefined && (
          <div class="tools">
            <label class="inline">
              A find in
              <Select value={modeKey} options={modeOptions(tables)} onChange={value => (mode.value = value)} />
            </label>
          </div>
        )}
      </header>
      <MapDrawing sums={sums} choice={choice} />
      {choice && <FindSentence choice={choice} />}
      <RegionList sums={sums} />
    </section>
  )
}

/** Says what a find would get, and opens its lobby. */
function FindSentence({ choice }: { readonly choice: ExplainedChoice }) {
  const { tables } = page.shown.value
  const { lobby_id, game_mode_id, region_id, kilometers, refusal } = choice
  if (region_id === undefined)
    return (
      <p class="find" dir="auto">
        A find gets {refusal}
      </p>
    )
  const away = kilometers === undefined ? '' : `, ${grouped(kilometers)} km away`
  return (
    <p class="find" dir="auto">
      A find gets{' '}
      {lobby_id !== undefined ? (
        <button type="button" class="link" onClick={() => (page.lobbyId.value = lobby_id)}>
          a seat in {game_mode_id}, {regionName(region_id, tables)}
        </button>
      ) : (
        `a new lobby in ${regionName(region_id, tables)}`
      )}
      {away}.
    </p>
  )
}

interface MapDrawingProps {
  readonly sums: readonly RegionSums[]
  readonly choice: ExplainedChoice | undefined
}

function MapDrawing({ sums, choice }: MapDrawingProps) {
  const { tables } = page.shown.value
  const box = useRef<HTMLDivElement>(null)
  const width = useWidth(box)
  /** The place while the user drags it. */
  const dragged = useSignal<Coordinates | undefined>(undefined)
  const settings = tables.settings.get('settings')
  useEffect(() => {
    // The mock has moved the player.
    if (settings) dragged.value = undefined
  }, [settings, dragged])
  const client = dragged.value ?? settings?.client
  const busiest = Math.max(1, ...sums.map(({ players }) => players))
  const unitsPerPx = mapWidth / (width.value || mapWidth)
  const placed = layOut(
    sums.map(sum => {
      const { region, players } = sum
      const name = regionName(region.region_id, tables).slice(0, longestName)
      const radius = Math.max(smallestRadius, Math.sqrt(players / busiest) * largestRadius)
      const label = `${name} ${grouped(players)}`
      return { sums: sum, name, place: project(region.datacenter_coord), radius, label }
    }),
    {
      textSize: textPx * unitsPerPx,
      width: mapWidth,
      height: mapHeight,
      obstacles: obstaclesOf(client, tables.regions.get(choice?.region_id ?? '')?.datacenter_coord, unitsPerPx),
    },
  )
  const chosen = placed.find(({ sums }) => sums.region.region_id === choice?.region_id)
  return (
    <div class="map" ref={box}>
      <svg viewBox={`0 0 ${mapWidth} ${mapHeight}`} aria-hidden="true" style={{ fontSize: `${textPx * unitsPerPx}px` }}>
        <path class="land" d={landPath} transform={`scale(${1 / landScale})`} />
        {client && chosen && <FindLine from={project(client)} to={chosen.center} kilometers={choice?.kilometers} />}
        {placed.map(region => (
          <RegionCircle key={region.sums.region.region_id} region={region} />
        ))}
      </svg>
      <PlayerPlace place={client} dragged={dragged} box={box} />
    </div>
  )
}

/** The sizes of the player's marker, which stands above its place, and of the distance on the line, in px. */
const marker = { width: 34, height: 26 } as const
const distanceText = { width: 64, height: 28 } as const

/** Lists what no label may cover: the player's marker, and the distance to the region that find would choose. */
function obstaclesOf(client: Coordinates | undefined, target: Coordinates | undefined, unitsPerPx: number): Box[] {
  if (!client) return []
  const above = ({ x, y }: MapPoint, { width, height }: { readonly width: number; readonly height: number }): Box => ({
    left: x - (width / 2) * unitsPerPx,
    right: x + (width / 2) * unitsPerPx,
    top: y - height * unitsPerPx,
    bottom: y,
  })
  const from = project(client)
  if (!target) return [above(from, marker)]
  const to = project(target)
  return [
    above(from, marker),
    above({ x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 + 10 * unitsPerPx }, distanceText),
  ]
}

function RegionCircle({ region }: { readonly region: PlacedRegion }) {
  const { sums, name, center, place, radius, labelAt } = region
  const { players, lobbies, taken, seats } = sums
  const share = seats > 0 ? Math.min(1, taken / seats) : 0
  const id = sums.region.region_id
  const select = () => (page.region.value = page.region.value === id ? undefined : id)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the list below does the same for the keyboard
    <g class="region" data-selected={page.region.value === id || undefined} onClick={select}>
      <title>
        {`${name}: ${counted(players, 'player', 'players')} in ${counted(lobbies, 'lobby', 'lobbies')}, ${Math.round(share * 100)} % of the seats taken`}
      </title>
      {Math.hypot(center.x - place.x, center.y - place.y) > 2 && (
        <line class="leader" x1={place.x} y1={place.y} x2={center.x} y2={center.y} />
      )}
      <circle class="players" cx={center.x} cy={center.y} r={radius} />
      <circle class="seats-free" cx={center.x} cy={center.y} r={radius} />
      <circle
        class="seats-taken"
        cx={center.x}
        cy={center.y}
        r={radius}
        pathLength={100}
        stroke-dasharray={`${share * 100} 100`}
        transform={`rotate(-90 ${center.x} ${center.y})`}
      />
      {labelAt && (
        <text x={labelAt.x} y={labelAt.y} text-anchor={labelAt.anchor}>
          {name} <tspan class="muted">{grouped(players)}</tspan>
        </text>
      )}
    </g>
  )
}

interface FindLineProps {
  readonly from: MapPoint
  readonly to: MapPoint
  readonly kilometers: number | undefined
}

/** The line from the player to the region that find would choose. */
function FindLine({ from, to, kilometers }: FindLineProps) {
  return (
    <g class="find-line">
      <line x1={from.x} y1={from.y} x2={to.x} y2={to.y} />
      {kilometers !== undefined && (
        <text x={(from.x + to.x) / 2} y={(from.y + to.y) / 2 - 4} text-anchor="middle">
          {grouped(Math.round(kilometers))} km
        </text>
      )}
    </g>
  )
}

interface PlayerPlaceProps {
  readonly place: Coordinates | undefined
  readonly dragged: Signal<Coordinates | undefined>
  readonly box: { readonly current: HTMLDivElement | null }
}

/** The place of the player. The pointer and the arrow keys move it. */
function PlayerPlace({ place, dragged, box }: PlayerPlaceProps) {
  const lastMove = useRef<Promise<unknown>>(Promise.resolve())
  const move = (location: Coordinates) => {
    dragged.value = location
    const send = async () => {
      const isMoved = await page.run(() => page.api.call('PUT /client', { body: { location: rounded(location) } }))
      if (!isMoved) dragged.value = undefined
    }
    // One after the other: on two connections, an earlier move could arrive last.
    lastMove.current = lastMove.current.then(send)
  }
  if (!place)
    return (
      <button
        type="button"
        class="no-place"
        disabled={page.isReadOnly.value}
        onClick={() => move({ latitude: 50, longitude: 10 })}
      >
        Set your place
      </button>
    )
  const { x, y } = project(place)
  const steer = (event: KeyboardEvent) => {
    const target = steered(place, event)
    if (!target) return
    event.preventDefault()
    move(target)
  }
  return (
    <button
      type="button"
      class="you"
      disabled={page.isReadOnly.value}
      aria-label={`you, at latitude ${place.latitude.toFixed(1)}, longitude ${place.longitude.toFixed(1)}. The arrow keys move you.`}
      style={{ left: `${(x / mapWidth) * 100}%`, top: `${(y / mapHeight) * 100}%` }}
      onKeyDown={steer}
      onPointerDown={event => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={event => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) dragged.value = placeAt(event, box.current)
      }}
      onPointerUp={event => {
        const target = dragged.value && placeAt(event, box.current)
        if (target) move(target)
      }}
    >
      <span>you</span>
    </button>
  )
}

/** An arrow key moves the player by this, in degrees. With Shift it moves farther. */
const step = 1
const longStep = 10

function steered({ latitude, longitude }: Coordinates, { key, shiftKey }: KeyboardEvent): Coordinates | undefined {
  const by = shiftKey ? longStep : step
  const moves: Readonly<Record<string, readonly [north: number, east: number]>> = {
    ArrowUp: [by, 0],
    ArrowDown: [-by, 0],
    ArrowLeft: [0, -by],
    ArrowRight: [0, by],
  }
  const move = moves[key]
  if (!move) return undefined
  const [north, east] = move
  return {
    latitude: Math.min(90, Math.max(-90, latitude + north)),
    longitude: Math.min(180, Math.max(-180, longitude + east)),
  }
}

/** Returns the place under the pointer. */
function placeAt({ clientX, clientY }: PointerEvent, box: HTMLElement | null): Coordinates | undefined {
  if (!box) return undefined
  const { left, top, width, height } = box.getBoundingClientRect()
  return unproject({ x: ((clientX - left) / width) * mapWidth, y: ((clientY - top) / height) * mapHeight })
}

function rounded({ latitude, longitude }: Coordinates): Coordinates {
  return { latitude: Math.round(latitude * 100) / 100, longitude: Math.round(longitude * 100) / 100 }
}

/** The map as a list, for keyboards and screen readers. */
function RegionList({ sums }: { readonly sums: readonly RegionSums[] }) {
  const { tables } = page.shown.value
  if (sums.length === 0) return <p class="muted empty">The world has no region.</p>
  return (
    <details class="region-list">
      <summary>The map as a list</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">Region</th>
            <th scope="col">Players</th>
            <th scope="col">Lobbies</th>
            <th scope="col">Seats taken</th>
          </tr>
        </thead>
        <tbody>
          {sums.map(({ region: { region_id }, players, lobbies, taken, seats }) => (
            <tr key={region_id}>
              <td>
                <button
                  type="button"
                  class="link"
                  dir="auto"
                  aria-pressed={page.region.value === region_id}
                  onClick={() => (page.region.value = page.region.value === region_id ? undefined : region_id)}
                >
                  {regionName(region_id, tables)}
                </button>
              </td>
              <td>{grouped(players)}</td>
              <td>{grouped(lobbies)}</td>
              <td>
                {grouped(taken)} of {grouped(seats)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}
