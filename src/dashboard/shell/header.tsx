import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { openStream } from '../../client/call.js'
import type { ListedWorld, ReplicaState } from '../../core/control/world-control.js'
import { counted, grouped, playersText, sizeText } from '../../core/lib/messages.js'
import { dateAndTime } from '../../core/lib/time.js'
import { Button, Field, Form, Menu } from '../ui/controls.js'
import { age, seatCount } from '../ui/format.js'
import { Icon, type IconName } from '../ui/icons.js'
import { layout, openDialog, runAction, scenarioMenu } from '../ui/screen.js'
import type { ViewName } from '../world/address.js'
import { copy, worldName } from '../world/copy.js'
import { freeName, page } from '../world/page-state.js'
import { saveSession } from './actions.js'
import { ClockMenu } from './clock-menu.js'
import { HelpMenu } from './help-menu.js'
import { ScenarioMenu } from './scenario-menu.js'
import { type View, viewOf, views } from './views.js'

/** The header of the page. Nothing in it changes its width while time runs. */
export function Header() {
  return (
    <header class="head">
      <h1 class="brand">
        <Brand /> <b>mockmaker</b>
      </h1>
      <WorldMenu />
      <span class="muted slash" aria-hidden="true">
        /
      </span>
      <ScenarioMenu />
      <nav class="views" aria-label="Views">
        {views.map(view => (
          <ViewTab key={view.name} view={view} />
        ))}
      </nav>
      <HelpMenu />
      <ClockMenu />
      <Button class="search" aria-label="Search or do Ctrl K" onClick={() => page.openPalette()}>
        <Icon name="search" /> <span>Search or do</span> <span class="kbd">Ctrl K</span>
      </Button>
    </header>
  )
}

function Brand() {
  return (
    <svg viewBox="0 0 18 18" aria-hidden="true" fill="var(--panel)">
      <rect width="18" height="18" rx="5" fill="currentColor" />
      <circle cx="6" cy="6.2" r="1.9" />
      <circle cx="12" cy="6.2" r="1.9" />
      <circle cx="6" cy="12" r="1.9" />
      <circle cx="12" cy="12" r="1.1" fill="none" stroke="var(--panel)" stroke-width="1.5" />
    </svg>
  )
}

/** The width of a count, in letters. A longer one is not exact. */
const countWidth = { few: 2, many: 9 } as const
const most = { few: 99, many: 99_999 } as const

function ViewTab({ view: { name, title, counts, count, onTheWay, isAmber, alert } }: { readonly view: View }) {
  const number = count?.() ?? 0
  const warning = alert?.()
  const size = counts ?? 'few'
  const shown = number > most[size] ? `${grouped(most[size])}+` : seatCount(number, onTheWay?.() ?? 0)
  return (
    <Button
      aria-label={
        warning
          ? `${title} ${shown}, ${warning.text}`
          : shown.includes(' + ')
            ? `${title} ${shown} on the way`
            : isAmber && number > 0
              ? `${title}, ${shown}`
              : undefined
      }
      aria-current={viewOf(page.view.value).name === name ? 'page' : undefined}
      onClick={() => page.show(name)}
    >
      <span class="title" data-title={title}>
        {title}
      </span>{' '}
      {count && (
        <span
          class={isAmber && number > 0 ? 'count badge warn' : 'count'}
          style={{ minWidth: `${countWidth[size]}ch` }}
        >
          {shown}
        </span>
      )}
      {warning && <i class={`dot ${warning.tone}`} />}
    </Button>
  )
}

/** The parts of the page that a phone shows one at a time. */
const phoneTabs: readonly (readonly [name: ViewName, title: string, icon: IconName])[] = [
  ['world', 'World', 'globe'],
  ['requests', 'Requests', 'lines'],
  ['players', 'Players', 'person'],
  ['servers', 'Servers', 'server'],
  ['warnings', 'Warnings', 'warning'],
  ['faults', 'Faults', 'fault'],
  ['devices', 'Devices', 'device'],
  ['time', 'Time', 'clock'],
]

/** The tabs at the bottom of a phone. */
export function PhoneTabs() {
  if (layout.value !== 'phone') return null
  return (
    <nav class="tabs" aria-label="Parts of the page">
      {phoneTabs.map(([name, title, icon]) => {
        const { isAmber, alert, count } = views.find(view => view.name === name) ?? {}
        const warning = alert?.()
        const number = isAmber ? (count?.() ?? 0) : 0
        return (
          <Button
            key={name}
            aria-label={warning ? `${title}, ${warning.text}` : number > 0 ? `${title}, ${grouped(number)}` : undefined}
            aria-current={page.view.value === name ? 'page' : undefined}
            onClick={() => page.show(name)}
          >
            <span>
              <Icon name={icon} /> {warning && <i class={`dot ${warning.tone}`} />}
            </span>{' '}
            {title} {number > 0 && <b class="badge warn">{grouped(number)}</b>}
          </Button>
        )
      })}
    </nav>
  )
}

/** Says who plays in a world, how old it is, and when it was last used, in real time. */
function useOf({ players, reserved, created_at, used_at }: ListedWorld): string {
  const since = (time: string) => age(Date.now() - Date.parse(time))
  return [
    players !== undefined && playersText({ players, reserved }),
    created_at && `${since(created_at)} old`,
    `used ${since(used_at)} ago`,
  ]
    .filter(Boolean)
    .join(', ')
}

function replicaText({ address, worlds, self }: ReplicaState): string {
  return `${new URL(address).host} with ${counted(worlds.length, 'world', 'worlds')}${self ? ' (this page)' : ''}`
}

/** Follows the worlds of the mock and its replicas while the menu is open. */
function useWorlds(isOpen: boolean, onFirst: (worlds: readonly ListedWorld[]) => void) {
  const worlds: Signal<readonly ListedWorld[]> = useSignal([])
  const replicas: Signal<readonly ReplicaState[]> = useSignal([])
  useEffect(() => {
    if (!isOpen) return
    void page.live.readData()
    const closed = new AbortController()
    const follow = async () => {
      for await (const { type, data } of await openStream(page.api.ofMock(), 'GET /worlds', {}, closed)) {
        if (type !== 'worlds') continue
        const known: readonly ListedWorld[] = JSON.parse(data).worlds
        if (worlds.value.length === 0) onFirst(known)
        worlds.value = known
      }
    }
    const readReplicas = async () => {
      const answer = await page.api.ofMock().call('GET /replicas')
      replicas.value = answer.replicas
    }
    // The stream of the world tells when the mock is gone.
    for (const read of [follow, readReplicas]) read().catch(() => {})
    return () => {
      closed.abort()
      worlds.value = []
    }
  }, [isOpen, worlds, replicas])
  return { worlds, replicas }
}

/** A list of more worlds has a search. */
const mostInSight = 6

function WorldMenu() {
  const name = useSignal('')
  const { about, data } = page.live
  const id = about.value?.id ?? ''
  const wanted = useSignal('')
  const { worlds, replicas } = useWorlds(openDialog.value === 'worlds', known => {
    const { past } = page
    name.value = freeName(page.forkName(id, past.value?.revision), new Set(known.map(world => world.id)))
    wanted.value = ''
  })
  const words = wanted.value.toLowerCase().trim()
  const found = worlds.value.filter(world => `${world.id} ${world.title}`.toLowerCase().includes(words))
  const fork = () => page.fork(page.past.value?.revision, name.value)
  const remove = () =>
    runAction(async () => {
      page.live.close()
      await page.api.ofMock().call('DELETE /worlds/{world_id}', { params: { world_id: id } })
      page.openWorld('default')
    })
  return (
    <Menu
      id="worlds"
      class="worlds"
      label={
        <>
          {copy && layout.value !== 'phone' && <Icon name="file" />}{' '}
          <span class="names cut" dir="auto">
            {about.value?.title}
          </span>{' '}
          <b class="cut" dir="auto">
            {worldName(id) || '…'}
          </b>
        </>
      }
      name={layout.value === 'phone' ? `World: ${about.value?.title} ${worldName(id)}` : `World: ${worldName(id)}`}
    >
      {() => (
        <>
          {worlds.value.length > mostInSight && (
            <div class="field">
              <Icon name="search" />
              <input
                type="search"
                aria-label="Search the worlds"
                placeholder={`Search ${grouped(worlds.value.length)} worlds`}
                value={wanted.value}
                onInput={event => (wanted.value = event.currentTarget.value)}
              />
            </div>
          )}
          {found.length === 0 && worlds.value.length > 0 && <p class="muted">No world matches.</p>}
          <ul class="list">
            {found.map(world => (
              <li key={world.id}>
                <Button class="choice" aria-current={world.id === id} onClick={() => page.openWorld(world.id)}>
                  <b>{worldName(world.id)}</b> <span dir="auto">{world.title}</span>
                  <span>{useOf(world)}</span>
                  {world.sleeping && <span>asleep, its clock at {dateAndTime(Date.parse(world.now))}</span>}
                  {world.replica !== undefined && <span>at {new URL(world.replica).host}</span>}
                </Button>
              </li>
            ))}
          </ul>
          {/* The field appears with its suggestion, so that no suggestion replaces what somebody types. */}
          {worlds.value.length > 0 && (
            <Form onSubmit={fork}>
              <Field label="A copy of this world" text={name} required />
              <button type="submit">Fork</button>
            </Form>
          )}
          {data.value && (
            <p class="muted">
              The worlds are kept in {data.value.place}: {sizeText(data.value.bytes)}.
            </p>
          )}
          {replicas.value.length > 0 && (
            <p class="muted">
              {counted(replicas.value.length, 'replica', 'replicas')}: {replicas.value.map(replicaText).join(', ')}.
            </p>
          )}
          <Button onClick={() => (openDialog.value = 'connect')}>Connect a client</Button>
          <Button onClick={saveSession}>Save the session</Button>
          {layout.value !== 'wide' && (
            <Button onClick={() => (openDialog.value = scenarioMenu)}>Scenario: {about.value?.title}</Button>
          )}
          <hr />
          {id === 'default' ? (
            <p class="muted">The world “default” cannot be deleted.</p>
          ) : (
            <Button class="danger" disabled={page.isReadOnly.value} onClick={remove}>
              Delete this world
            </Button>
          )}
        </>
      )}
    </Menu>
  )
}
