import type { ComponentType } from 'preact'
import { countPending, Devices } from '../devices/devices.js'
import { Faults } from '../faults/faults.js'
import { Players } from '../players/players.js'
import { crashes } from '../servers/crashes.js'
import { Servers } from '../servers/servers.js'
import { Warnings } from '../warnings/warnings.js'
import type { ViewName } from '../world/address.js'
import { isOver, page } from '../world/page-state.js'
import { World } from './world.js'

/** A view of the page: a tab in the header, and the panes below it. */
export interface View {
  readonly name: ViewName
  readonly title: string
  /** The number beside the title. */
  count?(): number
  /** The players on the way, who are not in the number. */
  onTheWay?(): number
  /** `many`: the number may have five digits. Default: `few`. */
  readonly counts?: 'few' | 'many'
  /** A count above 0 is amber. */
  readonly isAmber?: true
  /** Something that waits for the user: a dot in the tab, with words for screen readers. */
  alert?(): { readonly tone: 'bad' | 'warn'; readonly text: string } | undefined
  /** The panes. They stand side by side in `main`, and may include details of what the address opens. */
  readonly Panes: ComponentType
}

/** The views, in the order of the header. */
export const views: readonly View[] = [
  { name: 'world', title: 'World', Panes: World },
  {
    name: 'players',
    title: 'Players',
    counts: 'many',
    count: () => page.regionSums.value.reduce((sum, region) => sum + region.players, 0),
    onTheWay: () => page.regionSums.value.reduce((sum, { taken, players }) => sum + taken - players, 0),
    Panes: Players,
  },
  {
    name: 'servers',
    title: 'Servers',
    count: () => page.live.servers.value.length,
    alert() {
      const { length } = crashes.value
      return length > 0 ? { tone: 'bad', text: `${length} crashed` } : undefined
    },
    Panes: Servers,
  },
  {
    name: 'warnings',
    title: 'Warnings',
    count: () => page.live.warnings.value.warnings.length,
    isAmber: true,
    Panes: Warnings,
  },
  {
    name: 'faults',
    title: 'Faults',
    count: () => page.live.faults.value.filter(fault => !isOver(fault, page.time.value)).length,
    alert() {
      const held = page.live.faults.value.reduce((sum, { holding }) => sum + holding, 0)
      return held > 0 ? { tone: 'warn', text: `${held} held` } : undefined
    },
    Panes: Faults,
  },
  {
    name: 'devices',
    title: 'Devices',
    count: () => countPending(page.shown.value.tables, page.time.value),
    Panes: Devices,
  },
]

/** Returns the view of a name. The parts of a phone belong to the world. */
export function viewOf(name: ViewName): View {
  return views.find(view => view.name === name) ?? (views[0] as View) // there is one
}
