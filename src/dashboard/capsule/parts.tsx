import { type Signal, signal, useSignalEffect } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { counted, shellWord } from '../../core/lib/messages.js'
import { withWorld } from '../../core/storage/capsule-page.js'
import { Button, CopyButton } from '../ui/controls.js'
import { duration } from '../ui/format.js'
import { Icon } from '../ui/icons.js'
import { runAction, saveFile } from '../ui/screen.js'
import { addParts, copy } from '../world/copy.js'
import { statusKind } from '../world/outcome.js'
import { page } from '../world/page-state.js'
import { opened } from './opened.js'

addParts({ Banner, NoServers, ErrorBadge, save })

/** The state of the world that the file has. `undefined`: the page has not read it yet. */
const savedState: Signal<string | undefined> = signal(undefined)

/** Returns a text that is another one after each change of the world. */
function presentState(): string {
  const { about, revision, exchanges, clock } = page.live
  const { mode, rate, now } = clock.value ?? {}
  const time = mode === 'frozen' ? now : rate
  return [about.value?.id, revision.value, exchanges.value.at(-1)?.id, mode, time].join(' ')
}

/** The banner: what the copy is, the command that serves it, and the button that saves it. */
function Banner() {
  const { live } = page
  const { file = '' } = copy ?? {}
  const command = `mockmaker ${shellWord(file)}`
  const isChanged = savedState.value !== undefined && savedState.value !== presentState()
  useStart()
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 's') return
      event.preventDefault()
      void save()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  useEffect(() => {
    if (!isChanged) return
    const ask = (event: Event) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isChanged])
  const facts = [
    duration(page.now.value - live.oldestAt.value),
    counted(live.stories.value?.counts.players ?? 0, 'player', 'players'),
    counted(live.exchanges.value.length, 'request', 'requests'),
  ]
  return (
    <section class="copy" aria-label="The copy">
      <Icon name="file" />
      <span class="cut" dir="auto">
        <b>
          Copy of {live.about.value?.title}, made{' '}
          {dateText(opened.madeAt === undefined ? page.now.value : Date.parse(opened.madeAt), page.zone.value)}
        </b>
        : changes stay on this page
      </span>
      <span class="muted cut">
        {facts.join(', ')} · mockmaker {opened.madeBy}
      </span>
      <Button class="main" onClick={save}>
        <Icon name="save" /> {isChanged ? 'Save changes' : 'Save'}
      </Button>
      <CopyButton label={`Copy ${command}`} text={() => command}>
        <Icon name="copy" /> Copy <code>{command}</code>
      </CopyButton>
    </section>
  )
}

/** Opens the first error once the page has its world, unless the address names something else. */
function useStart(): void {
  useSignalEffect(() => {
    if (!page.isLoaded.value || !page.live.about.value || !page.live.clock.value || savedState.peek() !== undefined)
      return
    savedState.value = presentState()
    const [first] = failedRequests()
    if (first && location.search === '') page.filter({ opened: { kind: 'request', id: first.id } })
  })
}

function failedRequests() {
  return page.live.exchanges.value.filter(entry => statusKind(entry) === 'bad')
}

/** Writes a date and a time: `28 Nov 2026, 14:22:40`. */
function dateText(ms: number, zone: 'utc' | 'local'): string {
  const timeZone = zone === 'utc' ? { timeZone: 'UTC' } : {}
  return new Date(ms).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium', ...timeZone })
}

/** Says which error the details show. It is a button that shows the next one. */
function ErrorBadge() {
  const errors = failedRequests()
  const index = errors.findIndex(({ id }) => id === page.requestId.value)
  const next = errors[(index + 1) % errors.length]
  if (index === -1 || !next) return null
  return (
    <p>
      <Button class="badge bad" onClick={() => page.open('request', next.id)}>
        {index === 0 ? `first error of ${errors.length}` : `error ${index + 1} of ${errors.length}`}
      </Button>
    </p>
  )
}

/** Says why no lobby has a server that runs, if one did. */
function NoServers() {
  if (page.live.servers.value.length === 0) return null
  return (
    <p class="no-servers muted">
      No server runs in a copy. Lives and logs are in{' '}
      <Button class="link" onClick={() => page.show('servers')}>
        Servers
      </Button>
      .
    </p>
  )
}

async function save(): Promise<void> {
  await runAction(async () => {
    const state = presentState()
    const json = await page.api.text('GET /capsule', { query: {} }, 'application/json')
    saveFile(copy?.file ?? '', withWorld(opened.html, await deflated(json)))
    // A frame that forbids downloads says nothing.
    if (self !== top)
      return 'If your browser has saved nothing, the frame of this page forbids it: open the file by itself.'
    savedState.value = state
    return undefined
  })
}

/** Deflates a text, and returns it as base64. */
async function deflated(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate'))
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer())
  let binary = ''
  // As many as a call may have arguments.
  for (let i = 0; i < bytes.length; i += 8_192) binary += String.fromCharCode(...bytes.subarray(i, i + 8_192))
  return btoa(binary)
}
