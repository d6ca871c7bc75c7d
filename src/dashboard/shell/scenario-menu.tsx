import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { counted } from '../../core/lib/messages.js'
import { Button, Form, Menu } from '../ui/controls.js'
import { runAction, scenarioMenu, useLoaded } from '../ui/screen.js'
import { page } from '../world/page-state.js'

type Part = 'clock' | 'faults' | 'journal'

/** The scenarios to load, and the reset of the world. */
export function ScenarioMenu() {
  const { about } = page.live
  const title = about.value?.title ?? '…'
  return (
    <Menu
      id={scenarioMenu}
      label={
        <b class="cut" dir="auto">
          {title}
        </b>
      }
      name={`Scenario: ${title}`}
      class="scenario"
    >
      {close => (
        <fieldset disabled={page.isReadOnly.value}>
          {about.value?.description !== undefined && (
            <p class="muted" dir="auto">
              {about.value.description}
            </p>
          )}
          <ResetForm close={close} />
          <h2>Load a scenario</h2>
          <p class="muted">Or drop a YAML or JSON file anywhere on this page.</p>
          <ScenarioList close={close} />
          <label class="file">
            Load a file
            <input
              type="file"
              accept=".yaml,.yml,.json"
              onChange={event => {
                const files = [...(event.currentTarget.files ?? [])]
                close()
                void loadFile(files)
              }}
            />
          </label>
        </fieldset>
      )}
    </Menu>
  )
}

/** Replaces the world by a shipped scenario. */
export function loadScenario(name: string): void {
  void runAction(async () => {
    const { title } = await page.api.call('PUT /scenario', { body: { name } })
    return `Loaded ${title}.`
  })
}

function ScenarioList({ close }: { close(): void }) {
  const answer = useLoaded(() => page.api.call('GET /scenarios'), [])
  const load = (name: string) => {
    close()
    loadScenario(name)
  }
  return (
    <ul>
      {answer?.scenarios.map(({ name, title, description }) => (
        <li key={name}>
          <Button class="choice" onClick={() => load(name)}>
            <b dir="auto">{title || name}</b> <span dir="auto">{description}</span>
          </Button>
        </li>
      ))}
    </ul>
  )
}

/** Resets the world to its scenario. */
export function resetWorld(keep: readonly Part[]): void {
  void runAction(async () => {
    const { title } = await page.api.call('POST /reset', { body: { keep } })
    return `${title} begins again.`
  })
}

function ResetForm({ close }: { close(): void }) {
  const kept: Signal<readonly Part[]> = useSignal([])
  const { exchanges, faults } = page.live
  const lost = [
    'all changes of the world',
    ...(kept.value.includes('journal') ? [] : [counted(exchanges.value.length, 'request', 'requests')]),
    ...(kept.value.includes('faults') ? [] : [counted(faults.value.length, 'fault', 'faults')]),
    ...(kept.value.includes('clock') ? [] : ['the time of the clock']),
  ]
  const reset = () => {
    close()
    resetWorld(kept.value)
  }
  const toggle = (part: Part) => {
    kept.value = kept.value.includes(part) ? kept.value.filter(one => one !== part) : [...kept.value, part]
  }
  return (
    <Form onSubmit={reset}>
      <button type="submit">Reset to the start</button>
      <p class="muted">You lose {lost.join(', ')}.</p>
      <p class="checks">
        Keep:
        {(['clock', 'faults', 'journal'] as const).map(part => (
          <label key={part}>
            <input type="checkbox" checked={kept.value.includes(part)} onChange={() => toggle(part)} /> {part}
          </label>
        ))}
      </p>
    </Form>
  )
}

/** Loads the scenario in a file. Refuses several files, because a world has one scenario. */
async function loadFile(files: readonly File[]): Promise<void> {
  const [file] = files
  if (!file) return
  await runAction(async () => {
    if (page.isReadOnly.value) throw new Error(`${file.name} is not loaded: the page can change nothing now.`)
    if (files.length > 1) throw new Error(`Drop one file, not ${files.length}: a world has one scenario.`)
    const text = await file.text().catch(() => {
      throw new Error(`${file.name} cannot be read. Is it a folder?`)
    })
    const { title } = await page.api.call('PUT /scenario', { body: { text, file: file.name } })
    return `Loaded ${title} from ${file.name}.`
  })
}

/** Loads a scenario file that the user drops anywhere on the page. */
export function ScenarioDrop({ children }: { readonly children: ComponentChildren }) {
  const isOver = useSignal(false)
  // The page never removes this component.
  useEffect(() => {
    // A dragged text goes into the field that it is dropped on.
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false
    const drag = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      isOver.value = true
    }
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) isOver.value = false
    }
    const drop = (event: DragEvent) => {
      isOver.value = false
      if (!hasFiles(event)) return
      event.preventDefault()
      void loadFile([...(event.dataTransfer?.files ?? [])])
    }
    addEventListener('dragover', drag)
    addEventListener('dragleave', leave)
    addEventListener('drop', drop)
  }, [])
  return (
    <div
      class="app"
      data-connection={page.live.connection.value}
      aria-busy={!page.isLoaded.value && page.live.connection.value === 'live'}
      data-past={page.past.value !== undefined || undefined}
      data-drop={isOver.value || undefined}
    >
      {children}
      {isOver.value && <p class="drop">Drop the file to load it as the scenario.</p>}
    </div>
  )
}
