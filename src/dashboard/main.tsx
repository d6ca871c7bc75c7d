import { useSignalEffect } from '@preact/signals'
import { type ComponentType, render } from 'preact'
import { viewNames } from './address.js'
import { ClockControls } from './clock-menu.js'
import { ConnectGuide } from './connect.js'
import { Modal } from './controls.js'
import { Header, PhoneTabs } from './header.js'
import { KeyList } from './key-list.js'
import { listenToKeys } from './keys.js'
import { NewGameModeForm } from './new-game-mode.js'
import { NewLobbyForm } from './new-lobby.js'
import { Notices, PastBanner } from './notices.js'
import { page } from './page-state.js'
import { Palette } from './palette.js'
import { ScenarioDrop } from './scenario-menu.js'
import { layout, openDialog } from './screen.js'
import { SendAgain } from './send-again.js'
import { Timeline } from './timeline.js'
import { titleOf } from './title.js'
import { viewOf } from './views.js'

/** The clock on the page is updated at this interval, in ms. */
const tickMs = 250

/** The whole page. */
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

/** The part of a phone with all that is about time, and the views that have no tab there. */
function TimePart() {
  return (
    <main class="pane">
      <div class="body">
        <div class="block">
          <ClockControls />
          <div class="tools">
            {viewNames.slice(3, 5).map(name => (
              <button key={name} type="button" onClick={() => page.show(name)}>
                {viewOf(name).title} {viewOf(name).count?.()}
              </button>
            ))}
          </div>
        </div>
        <Timeline />
      </div>
    </main>
  )
}

/** The dialogs, by the names in `openDialog`. Those that need the world open once the page has it. */
const dialogs: { readonly [name: string]: readonly [title: string, Content: ComponentType, needsWorld?: boolean] } = {
  connect: ['Connect a client', ConnectGuide],
  keys: ['Keys', KeyList],
  'new-game-mode': ['Add a game mode', NewGameModeForm, true],
  'new-lobby': ['Make a lobby', NewLobbyForm, true],
  'send-again': ['Send again', SendAgain],
}

/** The open dialog. Its contents are rendered only while it is open. */
function OpenDialog() {
  const opening = page.paletteOpenings.value
  if (openDialog.value === 'palette') return <Palette key={opening} opening={opening} />
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
