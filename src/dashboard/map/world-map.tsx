import type { ExplainedChoice } from '../../core/control/explain/explain-find.js'
import { counted, grouped, playersText } from '../../core/lib/messages.js'
import type { GameServerState } from '../../core/simulation/servers.js'
import { Button, Select } from '../ui/controls.js'
import { duration, seatCount } from '../ui/format.js'
import type { RowMaps } from '../world/followed-world.js'
import { modeOptions, type RegionSums, regionName, sumRegions } from '../world/lobby-rows.js'
import { regionNotes, seatNotes } from '../world/outcome.js'
import { page } from '../world/page-state.js'
import { beyond, MapDrawing, type MapRegion } from './map-drawing.js'
import { openRegionMenu } from './region-menu.js'

/** The pane with the map of the world. */
export function WorldMap() {
  const { tables } = page.shown.value
  const isPast = page.past.value !== undefined
  const sums = page.regionSums.value
  const players = sumOf(sums, 'players')
  const taken = sumOf(sums, 'taken')
  const all = { players: taken, reserved: taken - players }
  const options = modeOptions(tables)
  const mode = page.mode.value
  const choice = page.nextFind.value
  const now = isPast ? new Map(sumRegions(page.live.tables).map(sum => [sum.region.region_id, sum])) : undefined
  const crashed = isPast ? new Set<string>() : crashedRegions(page.live.servers.value, page.now.value)
  const compared = regionNotes((page.framed.value && page.compared.value) ?? [])
  const outages = page.outages.value
  const notes = compared.size > 0 ? compared : seatNotes(page.candidates.value)
  const regions = sums.map(sum => describeRegion(sum, { tables, choice, now, crashed, notes }))
  return (
    <section class="pane world" aria-labelledby="world">
      <h2 id="world" class="hidden">
        World
      </h2>
      <MapDrawing regions={regions} />
      <div class="map-bar">
        {compared.size > 0 ? (
          <p class="map-title">
            <b>{counted(compared.size, 'region', 'regions')}</b>{' '}
            <span class="muted">compared{beyond.value > 0 && `, ${grouped(beyond.value)} beyond this map`}</span>
          </p>
        ) : (
          <p class="map-title">
            <b>{playersText(all)}</b>{' '}
            <span class="muted">
              in {counted(sumOf(sums, 'lobbies'), 'lobby', 'lobbies')},{' '}
              {outages.size > 0 && `${sums.length - outages.size} of `}
              {counted(sums.length, 'region', 'regions')}
            </span>{' '}
            {[...outages.keys()].map(id => (
              <span key={id} class="badge" dir="auto">
                {regionName(id, tables)} down
              </span>
            ))}
          </p>
        )}
        {now && compared.size === 0 && (
          <p class="map-since muted">
            <b class="accent">{signed(sumOf([...now.values()], 'players') - players)}</b> since then
          </p>
        )}
        {page.framed.value && <Button onClick={() => (page.framed.value = undefined)}>Whole world</Button>}
        {!isPast && !page.isInviting.value && !page.framed.value && mode !== undefined && (
          <label class="next-find">
            <span>Next find in</span>
            <Select value={mode} options={options} onChange={value => (page.findMode.value = value)} />
          </label>
        )}
      </div>
      {choice?.refusal !== undefined && (
        <p class="map-refusal" dir="auto">
          {choice.refusal}
        </p>
      )}
      <p class="map-legend muted" aria-hidden="true">
        <svg width="14" height="14" aria-hidden="true">
          <circle class="disc" cx="7" cy="7" r="5.5" />
          <circle class="ring" cx="7" cy="7" r="5.5" />
          <path class="arc" d="M7 1.5a5.5 5.5 0 0 1 0 11" />
        </svg>
        size: players, ring: seats taken
      </p>
      <RegionTable regions={regions} />
    </section>
  )
}

function sumOf(sums: readonly RegionSums[], key: 'players' | 'taken' | 'lobbies'): number {
  return sums.reduce((sum, one) => sum + one[key], 0)
}

/** Writes a difference with its sign: `+5`, `−3`, `±0`. */
function signed(difference: number): string {
  const sign = difference > 0 ? '+' : difference < 0 ? '−' : '±'
  return `${sign}${grouped(Math.abs(difference))}`
}

interface RegionContext {
  readonly tables: RowMaps
  /** The region and the lobby that a find would get. */
  readonly choice: ExplainedChoice | undefined
  /** The regions of the present, while the page shows the past. */
  readonly now: ReadonlyMap<string, RegionSums> | undefined
  /** The ids of the regions in which a game server has just crashed. */
  readonly crashed: ReadonlySet<string>
  /** The notes of the opened find, or of the invitation, about each region. */
  readonly notes: ReturnType<typeof regionNotes>
}

/** The map shows a crash for this time of the world's clock, in ms. */
const crashMs = 60_000

function crashedRegions(servers: readonly GameServerState[], now: number): Set<string> {
  const recent = servers.filter(
    ({ status, ended_at }) => status === 'crashed' && ended_at !== undefined && now - Date.parse(ended_at) < crashMs,
  )
  return new Set(recent.map(({ region_id }) => region_id))
}

function describeRegion(
  { region, ...counts }: RegionSums,
  { tables, choice, now, crashed, notes: all }: RegionContext,
): MapRegion {
  const id = region.region_id
  const notes = all.get(id)
  const isNext = notes ? notes.hasWon : all.size === 0 && choice?.region_id === id
  const isBad = crashed.has(id)
  const outage = page.outages.value.get(id)
  const away = choice?.kilometers !== undefined ? `, ${grouped(Math.round(choice.kilometers))} km` : ''
  const change = now === undefined ? 0 : (now.get(id)?.players ?? 0) - counts.players
  return {
    id,
    name: regionName(id, tables),
    place: region.datacenter_coord,
    ...counts,
    kind: outage ? 'down' : isBad ? 'bad' : isNext ? 'next' : notes ? 'other' : 'plain',
    ...(isNext && { note: `next find${away}` }),
    ...(notes && { note: notes.text }),
    ...(isBad && { note: 'server crashed' }),
    ...(outage && {
      note:
        outage.ends_at === undefined
          ? 'down'
          : `down, back in ${duration(Date.parse(outage.ends_at) - page.time.value)}`,
    }),
    ...(change !== 0 && { change: signed(change) }),
  }
}

/** The map as a table, for screen readers. It becomes visible while the keyboard is in it. */
function RegionTable({ regions }: { readonly regions: readonly MapRegion[] }) {
  if (regions.length === 0) return page.isLoaded.value ? <p class="map-empty">The world has no region.</p> : null
  return (
    <div class="region-list">
      <table>
        <caption>The map as a table</caption>
        <thead>
          <tr>
            <th scope="col">Region</th>
            <th scope="col">Players</th>
            <th scope="col">Lobbies</th>
            <th scope="col">Seats taken</th>
            <th scope="col">Note</th>
          </tr>
        </thead>
        <tbody>
          {regions.map(({ id, name, players, lobbies, taken, seats, note, change }) => (
            <tr key={id}>
              <td>
                <Button
                  class="link"
                  dir="auto"
                  aria-haspopup="dialog"
                  aria-pressed={page.region.value === id}
                  onClick={() => openRegionMenu(id)}
                >
                  {name}
                </Button>
              </td>
              <td>{seatCount(players, taken - players)}</td>
              <td>{grouped(lobbies)}</td>
              <td>
                {grouped(taken)} of {grouped(seats)}
              </td>
              <td>{[change && `${change} since then`, note].filter(Boolean).join(', ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
