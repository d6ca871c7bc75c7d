import { useSignalEffect } from '@preact/signals'
import { type ComponentType, render } from 'preact'
import { NewGameModeForm } from './lobbies/new-game-mode.js'
import { NewLobbyForm } from './lobbies/new-lobby.js'
import { RegionMenu } from './map/region-menu.js'
import { SendAgain } from './requests/send-again.js'
import { ClockControls } from './shell/clock-menu.js'
import { ConnectGuide } from './shell/connect.js'
import { Header, PhoneTabs } from './shell/header.js'
import { Wrong } from './shell/help-menu.js'
import { KeyList } from './shell/key-list.js'
import { listenToKeys } from './shell/keys.js'
import { Notices, PastBanner } from './shell/notices.js'
import { Palette } from './shell/palette.js'
import { ScenarioDrop } from './shell/scenario-menu.js'
import { viewOf } from './shell/views.js'
import { Timeline } from './timeline/timeline.js'
import { Modal } from './ui/controls.js'
import { layout, openDialog } from './ui/screen.js'
import { copyParts, worldName } from './world/copy.js'
import { placeName } from './world/lobby-rows.js'
import { page } from './world/page-state.js'

/** The clock on the page is updated at this interval, in ms. */
const tickMs = 250

function App() {
  useSignalEffect(() => {
    document.title = titleOf()
  })
  const { view, opened } = page
  const { name, Panes } = viewOf(view.value)
  const isPhone = layout.value === 'phone'
  return (
    <ScenarioDrop>
      <Header />
      {copyParts && <copyParts.Banner />}
      <PastBanner />
      {isPhone && view.value === 'time' ? (
        <TimePart />
      ) : (
        <main data-view={name} data-open={opened.value !== undefined || undefined}>
          <Panes />
        </main>
      )}
      {!isPhone && <Timeline />}
      <PhoneTabs />
      <Notices />
      <OpenDialog />
    </ScenarioDrop>
  )
}

/** Returns the title of the page: `<thing> – <scenario> – <world> – mockmaker`. */
function titleOf(): string {
  const { about } = page.live
  return [thing(), about.value?.title, worldName(about.value?.id), 'mockmaker'].filter(Boolean).join(' – ')
}

function thing(): string {
  const opened = page.opened.value
  if (!opened) return viewOf(page.view.value).title
  const { tables } = page.shown.value
  if (opened.kind === 'request') {
    const entry = page.live.exchanges.value.find(({ id }) => id === opened.id)
    return entry ? `${entry.operation ?? `${entry.method} ${entry.path}`} ${entry.status}` : `Request ${opened.id}`
  }
  if (opened.kind === 'held') return 'Held request'
  const lobby = opened.kind === 'player' ? undefined : tables.lobbies.get(opened.id)
  const name = lobby ? placeName(lobby, tables) : opened.id
  return opened.kind === 'lobby' ? name : `${opened.kind === 'server' ? 'Server' : 'Player'} ${name}`
}

/** The part of a phone with all that is about time. */
function TimePart() {
  return (
    <main class="pane">
      <div class="body">
        <div class="block">
          <ClockControls />
        </div>
        <Timeline />
      </div>
    </main>
  )
}

/** The dialogs, by the names in `openDialog`. Those that need the world open once the page has it. */
const dialogs: { readonly [name: string]: readonly [title: string, Content: ComponentType, needsWorld?: boolean] } = {
  connect: ['Connect a client', ConnectGuide],
  keys: ['Help and keys', KeyList],
  'new-game-mode': ['Add a game mode', NewGameModeForm, true],
  'new-lobby': ['Make a lobby', NewLobbyForm, true],
  'send-again': ['Send again', SendAgain],
  wrong: ['Something is wrong?', Wrong],
}

/** The open dialog. Its contents are rendered only while it is open. */
function OpenDialog() {
  const opening = page.paletteOpenings.value
  if (openDialog.value === 'palette') return <Palette key={opening} opening={opening} />
  if (openDialog.value === 'region') return <RegionMenu />
  const [title, Content, needsWorld] = dialogs[openDialog.value ?? ''] ?? []
  if (needsWorld && !page.isLoaded.value) return null
  return (
    Content && (
      <Modal key={title} title={title} class={openDialog.value ?? ''} onClose={() => (openDialog.value = undefined)}>
        <Content />
      </Modal>
    )
  )
}

setInterval(() => page.tick(), tickMs)
listenToKeys()

const root = document.getElementById('page')
if (root) render(<App />, root)
