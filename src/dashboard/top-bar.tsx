import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type Input, openStream } from '../client/core.js'
import type { ReplicaState, WorldSummary } from '../control/world-control.js'
import { counted, sizeText } from '../lib/text.js'
import { dateAndTime, timeOfDay } from '../lib/time.js'
import { Field, Menu, Select } from './controls.js'
import { isPendingAt } from './devices.js'
import { isOver } from './faults.js'
import { duration } from './format.js'
import { freeName, page } from './page-state.js'
import { ScenarioMenu } from './scenario-menu.js'

const connectionWords = {
  connecting: 'connecting',
  live: 'live',
  lost: 'reconnecting',
  locked: 'locked',
  deleted: 'deleted',
} as const

/** The bar at the top of the page. */
export function TopBar() {
  const { live, dialog } = page
  const faults = live.faults.value.filter(fault => !isOver(fault, page.time.value)).length
  return (
    <header class="top">
      <h1>mockmaker</h1>
      <WorldMenu />
      <ScenarioMenu />
      <ClockControls />
      <div class="tools">
        <button type="button" class={faults > 0 ? 'on' : ''} onClick={() => (dialog.value = 'faults')}>
          {faults > 0 ? `${counted(faults, 'fault', 'faults')} on` : 'Faults'}
        </button>
        <DevicesButton />
        <button type="button" onClick={() => (dialog.value = 'connect')}>
          Connect a client
        </button>
        <span class="connection" data-state={live.connection.value} role="status">
          {connectionWords[live.connection.value]}
        </span>
      </div>
    </header>
  )
}

function DevicesButton() {
  const { shown, time, dialog } = page
  const pending = [...shown.value.tables.deviceLinks.values()].filter(link => isPendingAt(link, time.value)).length
  return (
    <button type="button" onClick={() => (dialog.value = 'devices')}>
      Devices{pending > 0 && ` (${pending})`}
    </button>
  )
}

function ClockControls() {
  const { clock } = page.live
  const next = page.upcoming.value[0]
  const { mode = 'frozen', rate = 1 } = clock.value ?? {}
  const set = (body: Input<'PUT /clock'>['body']) => page.run(() => page.api.call('PUT /clock', { body }))
  const advance = (by: number | string) => page.run(() => page.api.call('POST /clock/advance', { body: { by } }))
  const rates = [...new Set([1, 10, 60, 600, rate])].sort((one, other) => one - other)
  return (
    <fieldset class="clock" disabled={page.isReadOnly.value} aria-label="Clock of the world">
      <Time />
      <button type="button" onClick={() => set({ mode: mode === 'frozen' ? 'running' : 'frozen' })}>
        {mode === 'frozen' ? 'Run' : 'Freeze'}
      </button>
      <Select
        label="Speed of the clock"
        value={String(rate)}
        options={rates.map(one => [String(one), `×${one}`])}
        onChange={value => set({ rate: Number(value) })}
      />
      <button type="button" onClick={() => advance('1m')}>
        +1 min
      </button>
      <button type="button" onClick={() => advance('1h')}>
        +1 h
      </button>
      <button
        type="button"
        class="next"
        disabled={!next}
        title={next ? `${timeOfDay(Date.parse(next.at))}: ${next.what}` : 'Nothing is due.'}
        // The time and not a duration: two clicks in a row must not go too far.
        onClick={() => next && set({ now: next.at })}
      >
        Next event ▸
        {next && (
          <small dir="auto">
            {duration(Math.max(0, Date.parse(next.at) - page.now.value))}: {next.what}
          </small>
        )}
      </button>
    </fieldset>
  )
}

function Time() {
  const { time, live } = page
  if (!live.clock.value) return <time class="now">…</time>
  const [date, clock] = dateAndTime(time.value).split(' ')
  return (
    <time class="now">
      <span class="date">{date}</span> {clock}
    </time>
  )
}

function replicaText({ address, worlds, self }: ReplicaState): string {
  return `${new URL(address).host} with ${counted(worlds.length, 'world', 'worlds')}${self ? ' (this page)' : ''}`
}

function WorldMenu() {
  const worlds: Signal<readonly WorldSummary[]> = useSignal([])
  const replicas: Signal<readonly ReplicaState[]> = useSignal([])
  const name = useSignal('')
  const { about, data } = page.live
  const id = about.value?.id ?? ''
  const isOpen = page.dialog.value === 'worlds'
  useEffect(() => {
    if (!isOpen) return
    void page.live.readData()
    const closed = new AbortController()
    const follow = async () => {
      for await (const { type, data } of await openStream(page.api.ofMock(), 'GET /worlds', {}, closed)) {
        if (type !== 'worlds') continue
        const known: readonly WorldSummary[] = JSON.parse(data).worlds
        if (worlds.value.length === 0) name.value = freeName(id, new Set(known.map(world => world.id)))
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
  }, [isOpen, id, worlds, replicas, name])
  const fork = (event: Event) => {
    event.preventDefault()
    void page.fork(page.past.value?.revision, name.value)
  }
  const remove = () =>
    page.run(async () => {
      page.live.close()
      await page.api.ofMock().call('DELETE /worlds/{world_id}', { params: { world_id: id } })
      page.openWorld('default')
    })
  return (
    <Menu id="worlds" label={`world: ${id || '…'}`} name={`World: ${id}`}>
      {() => (
        <>
          <ul>
            {worlds.value.map(world => (
              <li key={world.id}>
                <button
                  type="button"
                  class="choice"
                  aria-current={world.id === id}
                  onClick={() => page.openWorld(world.id)}
                >
                  <b>{world.id}</b> <span dir="auto">{world.title}</span>
                  {world.sleeping && <span>asleep, its clock at {dateAndTime(Date.parse(world.now))}</span>}
                  {world.replica !== undefined && <span>at {new URL(world.replica).host}</span>}
                </button>
              </li>
            ))}
          </ul>
          {/* The field appears with its suggestion, so that no suggestion replaces what somebody types. */}
          {worlds.value.length > 0 && (
            <form onSubmit={fork}>
              <Field label="A copy of this world" text={name} required />
              <button type="submit">Fork</button>
            </form>
          )}
          <button type="button" disabled={id === 'default' || page.isReadOnly.value} onClick={remove}>
            Delete this world
          </button>
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
          {id === 'default' && <p class="muted">The world “default” cannot be deleted.</p>}
        </>
      )}
    </Menu>
  )
}
