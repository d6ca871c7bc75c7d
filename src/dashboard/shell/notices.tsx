import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { grouped } from '../../core/lib/messages.js'
import { CrashNotices } from '../servers/crashes.js'
import { Button, Field, Form, IconButton, MessageNotice } from '../ui/controls.js'
import { duration } from '../ui/format.js'
import { Icon } from '../ui/icons.js'
import { layout, modals, runAction } from '../ui/screen.js'
import { causeWords } from '../world/change-words.js'
import { controlToken, keepControlToken } from '../world/control-token.js'
import type { Missed } from '../world/followed-world.js'
import { outcomeOf } from '../world/outcome.js'
import { page } from '../world/page-state.js'

/** The banner of the past: the moment, and the ways out. */
export function PastBanner() {
  const past = page.past.value
  if (!past) return null
  return (
    <section class="past" aria-label="The past">
      <span class="cut">
        <b>
          You see {page.timeText(past.at)}, {duration(Math.max(0, page.now.value - past.at))} ago.
        </b>{' '}
        {layout.value === 'wide' && <ChangeSeen revision={past.revision} />}
      </span>
      <Button disabled={past.revision <= page.live.oldestRevision.value} onClick={() => page.stepToChange(-1)}>
        <Icon name="back" /> Previous
      </Button>
      <Button onClick={() => page.stepToChange(1)}>
        Next change <Icon name="forward" />
      </Button>
      <Button onClick={() => page.fork(past.revision)}>
        <Icon name="fork" /> Fork from here
      </Button>
      <Button class="main" onClick={() => page.travelToNow()}>
        Back to now{' '}
        <span class="kbd" aria-hidden="true">
          Esc
        </span>
      </Button>
    </section>
  )
}

/** Says which of the known changes the page shows, and who made it. */
function ChangeSeen({ revision }: { readonly revision: number }) {
  const { live } = page
  const { value: changes } = live.changes
  const index = changes.findLastIndex(one => one.revision === revision)
  const change = changes[index]
  if (!change) return null
  return (
    <span dir="auto">
      Change {grouped(index + 1)} of {grouped(changes.length)}:{' '}
      {causeWords(change, live.exchanges.value, entry => outcomeOf(entry, live))}.
    </span>
  )
}

const missedWords: { readonly [missed in Missed]: string } = {
  restart: 'A new mock runs. The old world is gone.',
  requests: 'The mock was restarted, and goes on with this world. Earlier requests are gone.',
  gap: 'The page was away for too long, or a capsule was loaded. It has read the world again, and requests may be missing.',
}

/** Floats over the page: what the user must know, and results of actions. It never moves what is below. */
export function Notices() {
  const { about, connection, missed } = page.live
  return (
    <div class="notices" role="status">
      {connection.value === 'lost' && <Offline />}
      {connection.value === 'locked' && <Locked />}
      {about.value?.read_only && <p class="notice">This world is only shown. Nothing can be changed.</p>}
      {connection.value === 'deleted' && (
        <p class="notice bad">
          <span>The world {about.value?.id} has been deleted. You see how it was.</span>
          <Button onClick={() => page.openWorld('default')}>Open the default world</Button>
        </p>
      )}
      {connection.value === 'absent' && <AbsentWorld />}
      {missed.value !== undefined && (
        <p class="notice">
          <span>{missedWords[missed.value]}</span>
          <IconButton icon="close" aria-label="Dismiss" onClick={() => (missed.value = undefined)} />
        </p>
      )}
      {modals.value === 0 && <MessageNotice />}
      <CrashNotices />
    </div>
  )
}

function Locked() {
  const token = useSignal('')
  const isFirst = controlToken() === undefined
  const open = () => {
    keepControlToken(token.value.trim())
    token.value = ''
    page.live.retry()
  }
  return (
    <Form class="notice locked" onSubmit={open}>
      <Field
        label={isFirst ? 'This mock has a control token. ' : 'The mock does not take this control token. '}
        type="password"
        required
        autocomplete="off"
        aria-label="Control token"
        placeholder="Control token"
        text={token}
      />
      <button type="submit" class="main">
        Open
      </button>
    </Form>
  )
}

/** Offers to make the world of the address. The page of a world makes none by itself. */
function AbsentWorld() {
  const { worldId } = page.api
  const make = () =>
    runAction(async () => {
      await page.api.ofMock().call('PUT /worlds/{world_id}', { params: { world_id: worldId }, body: {} })
      page.live.retry()
    })
  return (
    <p class="notice">
      <span dir="auto">There is no world called {worldId}.</span>
      <Button class="main" onClick={make}>
        Make it
      </Button>
      <Button onClick={() => page.openWorld('default')}>Open default</Button>
    </p>
  )
}

function Offline() {
  const stoppedAt = useSignal<number | undefined>(undefined)
  useEffect(() => {
    // The clock of the page stands still without a connection.
    if (page.live.clock.peek()) stoppedAt.value = page.now.peek()
  }, [stoppedAt])
  const { host } = new URL(page.api.url)
  return (
    <p class="notice bad">
      {stoppedAt.value === undefined
        ? `The mock at ${host} does not answer.`
        : `The mock at ${host} stopped at ${page.timeText(stoppedAt.value)}. You see its last state.`}
    </p>
  )
}
