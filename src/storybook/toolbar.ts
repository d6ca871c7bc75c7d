import { addons } from 'storybook/preview-api'
import { isJsonObject } from '../lib/json.js'

/** The scenario that the toolbar selects for a page of Storybook. */
interface Toolbar {
  /** `undefined` leaves the scenario to each story. */
  selected: string | undefined
  /** Called when it changes. */
  readonly listeners: Set<() => void>
}

/** Each page keeps its toolbar there, so that the frames of a docs page find it. */
const toolbarKey = Symbol.for('mockmaker.toolbar')
type PageWithToolbar = { [toolbarKey]?: Toolbar }

// Set up once for each page.
let around: Toolbar | undefined

/** Renders the stories of this page anew when the toolbar selects another scenario, for this page or for the one around it. */
export function followToolbar(storyIds: () => readonly string[]): void {
  const own: Toolbar = { selected: scenarioInUrl(location.search), listeners: new Set() }
  Object.assign(window, { [toolbarKey]: own })
  around = toolbarAround()
  void addons.ready().then(channel => {
    const renderAnew = (storyId: string) => channel.emit('forceRemount', { storyId })
    // Storybook renders a story again by itself, but its component does not send its requests again.
    const waiting = new Set<string>()
    channel.on('storyFinished', ({ storyId }: { readonly storyId: string }) => {
      if (waiting.delete(storyId)) renderAnew(storyId)
    })
    // Unlike other events of globals, this one comes from the toolbar only, and not from frames.
    channel.on('updateGlobals', ({ globals }: { readonly globals?: unknown }) => {
      if (!isJsonObject(globals) || !('mockmaker' in globals)) return
      const selected = scenarioIn(globals.mockmaker)
      if (own.selected === selected) return
      own.selected = selected
      for (const storyId of storyIds()) waiting.add(storyId)
      for (const changed of own.listeners) changed()
    })
    const follow = () => storyIds().forEach(renderAnew)
    around?.listeners.add(follow)
    window.addEventListener('pagehide', () => around?.listeners.delete(follow))
  })
}

function scenarioIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Returns the scenario that the toolbar selects for the docs page around this frame. A frame has no toolbar itself. */
export function scenarioAround(): string | undefined {
  return around?.selected
}

function toolbarAround(): Toolbar | undefined {
  if (window.parent === window) return undefined
  try {
    return (window.parent as PageWithToolbar)[toolbarKey] // only this function sets the key
  } catch {
    return undefined // a page of another origin
  }
}

/** Finds the scenario in `?globals=mockmaker:friday-night;locale:fr`. */
function scenarioInUrl(search: string): string | undefined {
  const globals = new URLSearchParams(search).get('globals')?.split(';') ?? []
  return globals.map(one => /^mockmaker:(.+)$/.exec(one)?.[1]).find(one => one !== undefined)
}
