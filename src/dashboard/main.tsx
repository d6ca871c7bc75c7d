import { useSignalEffect } from '@preact/signals'
import { type ComponentType, render } from 'preact'
import { timeOfDay } from '../lib/time.js'
import { ConnectGuide } from './connect.js'
import { DismissButton, MessageNotice, Modal } from './controls.js'
import { Devices } from './devices.js'
import { FaultsForm } from './faults.js'
import type { Missed } from './live-world.js'
import { Lobbies } from './lobbies.js'
import { LobbyDrawer } from './lobby-drawer.js'
import { Locked } from './locked.js'
import { NewLobbyForm } from './new-lobby.js'
import { page, type View } from './page-state.js'
import { Requests } from './requests.js'
import { ScenarioDrop } from './scenario-menu.js'
import { Timeline } from './timeline.js'
import { TopBar } from './top-bar.js'
import { WorldMap } from './world-map.js'

/** The clock on the page is updated at this interval, in ms. */
const tickMs = 250

/** The whole page. */
function App() {
  useSignalEffect(() => {
    const title = page.live.about.value?.title
    document.title = title === undefined ? 'mockmaker' : `${title} – mockmaker`
  })
  return (
    <ScenarioDrop>
      <TopBar />
      <Notices />
      <main data-view={page.view.value}>
        <div class="columns">
          <div class="column">
            <WorldMap />
            <Lobbies />
          </div>
          <div class="column">
            <Requests />
          </div>
        </div>
        <Timeline />
      </main>
      <ViewTabs />
      <LobbyDrawer />
      <OpenDialog />
    </ScenarioDrop>
  )
}

/** The dialogs, by the names in `page.dialog`. */
const dialogs: { readonly [name: string]: readonly [title: string, Content: ComponentType] } = {
  connect: ['Connect a client', ConnectGuide],
  devices: ['Devices', Devices],
  faults: ['Faults', FaultsForm],
  'new-lobby': ['Make a lobby', NewLobbyForm],
}

/** The open dialog. Its contents are rendered only while it is open. */
function OpenDialog() {
  const { dialog } = page
  const [title, Content] = dialogs[dialog.value ?? ''] ?? []
  return (
    Content && (
      <Modal key={title} title={title} onClose={() => (dialog.value = undefined)}>
        <Content />
      </Modal>
    )
  )
}

const missedWords: { readonly [missed in Missed]: string } = {
  restart: 'The mock was restarted. You see its new world.',
  requests: 'The mock was restarted, and goes on with this world. Earlier requests are gone.',
  gap: 'The page was away for too long, and read the world again. Requests and changes may be missing.',
}

/** Tells the user that the page shows the past, has lost the mock or missed events, or that an action has failed. */
function Notices() {
  const { past, live, modals } = page
  const { about, connection, missed } = live
  return (
    <div class="notices" role="status">
      {connection.value === 'lost' && (
        <p class="notice bad">The mock does not answer. The page connects again as soon as it does.</p>
      )}
      <Locked />
      {about.value?.read_only && <p class="notice">This world is only shown. Nothing can be changed.</p>}
      {past.value && (
        <p class="notice">
          You look at {timeOfDay(past.value.at)}. The world goes on.
          <button type="button" onClick={() => page.fork(past.value?.revision)}>
            Fork from here
          </button>
          <button type="button" class="main" onClick={() => page.travelToNow()}>
            Back to now
          </button>
        </p>
      )}
      {connection.value === 'deleted' && (
        <p class="notice bad">
          The world {about.value?.id} has been deleted. You see how it was.
          <button type="button" onClick={() => page.openWorld('default')}>
            Open the default world
          </button>
        </p>
      )}
      {missed.value !== undefined && (
        <p class="notice">
          {missedWords[missed.value]}
          <DismissButton onClick={() => (missed.value = undefined)} />
        </p>
      )}
      {modals.value === 0 && <MessageNotice />}
    </div>
  )
}

const viewNames: { readonly [name in View]: string } = {
  world: 'World',
  lobbies: 'Lobbies',
  requests: 'Requests',
  time: 'Time',
}

/** The parts of the page, for narrow screens. */
function ViewTabs() {
  const { view } = page
  return (
    <nav class="tabs" aria-label="Parts of the page">
      {Object.entries(viewNames).map(([name, text]) => (
        <button
          key={name}
          type="button"
          aria-current={view.value === name ? 'page' : undefined}
          onClick={() => (view.value = name as View)} // a key of the table
        >
          {text}
        </button>
      ))}
    </nav>
  )
}

setInterval(() => page.tick(), tickMs)

const root = document.getElementById('page')
if (root) render(<App />, root)
