import { addons } from 'storybook/internal/preview-api'
import { Emitter } from '../../core/lib/emitter.js'
import { isJsonObject } from '../../core/lib/json.js'
import type { ShownStory } from './story-worlds.js'

interface Toolbar {
  /** `undefined` leaves the scenario to each story. */
  selected: string | undefined
  readonly changes: Emitter<void>
}

const toolbarKey = Symbol.for('mockmaker.toolbar')
type PageWithToolbar = { [toolbarKey]?: Toolbar }

// Set up once for each page.
let around: Toolbar | undefined
let takenFromAround: string | undefined

/** Mounts the stories anew when the toolbar selects another scenario: only then do they send their requests again. */
export function followToolbar(shown: () => readonly ShownStory[]): void {
  const own: Toolbar = { selected: scenarioInUrl(location.search), changes: new Emitter() }
  Object.assign(window, { [toolbarKey]: own })
  around = toolbarAround()
  void addons.ready().then(channel => {
    /** Stories that Storybook is rendering. To mount them now would interrupt that, and can reload the page. */
    const rendering = new Set<string>()
    const mountOutdated = () => {
      for (const { storyId, isOutdated } of shown())
        if ((isOutdated || takenFromAround !== around?.selected) && !rendering.has(storyId))
          channel.emit('forceRemount', { storyId })
    }
    channel.on('storyRenderPhaseChanged', ({ storyId, newPhase }: PhaseChange) => {
      if (newPhase === 'finished' || newPhase === 'aborted') rendering.delete(storyId)
      else rendering.add(storyId)
    })
    // Storybook may render the story once more, immediately after this event.
    channel.on('storyFinished', () => setTimeout(mountOutdated))
    // Unlike other events of globals, this one comes from the toolbar only, and not from frames.
    channel.on('updateGlobals', ({ globals }: { readonly globals?: unknown }) => {
      if (!isJsonObject(globals) || !('mockmaker' in globals)) return
      const { mockmaker } = globals
      const selected = typeof mockmaker === 'string' && mockmaker !== '' ? mockmaker : undefined
      if (own.selected === selected) return
      own.selected = selected
      own.changes.emit()
    })
    const unsubscribe = around?.changes.subscribe(mountOutdated)
    if (unsubscribe) window.addEventListener('pagehide', unsubscribe)
  })
}

interface PhaseChange {
  readonly storyId: string
  readonly newPhase: string
}

/** Returns the scenario of the toolbar for the docs page around this frame, which has no toolbar itself. */
export function takeScenarioAround(): string | undefined {
  takenFromAround = around?.selected
  return takenFromAround
}

function toolbarAround(): Toolbar | undefined {
  if (window.parent === window) return undefined
  try {
    return (window.parent as PageWithToolbar)[toolbarKey] // only this function sets the key
  } catch {
    return undefined // a page of another origin
  }
}

function scenarioInUrl(search: string): string | undefined {
  const globals = new URLSearchParams(search).get('globals')?.split(';') ?? []
  return globals.map(one => /^mockmaker:(.+)$/.exec(one)?.[1]).find(one => one !== undefined)
}
