import { useSignal } from '@preact/signals'
import type { Input } from '../../client/call.js'
import { dateAndTime, timeOfDay } from '../../core/lib/time.js'
import { Button, Field, Form, Menu, Parts, Select } from '../ui/controls.js'
import { duration } from '../ui/format.js'
import { runAction } from '../ui/screen.js'
import type { Connection } from '../world/followed-world.js'
import { page } from '../world/page-state.js'

const connectionWords: { readonly [connection in Connection]: string } = {
  connecting: 'Connecting',
  live: 'Live',
  lost: 'Offline',
  locked: 'Locked',
  deleted: 'Deleted',
  absent: 'No world',
}

/** Says what the time on the page is: of the past, of a clock that stands still, or of a mock that does not answer. */
function clockState(): { readonly word: string; readonly tone: 'good' | 'warn' | 'bad' | '' } {
  const { clock, connection } = page.live
  const { value } = connection
  if (value !== 'live') return { word: connectionWords[value], tone: value === 'connecting' ? '' : 'bad' }
  if (page.past.value) return { word: 'Past', tone: '' }
  return clock.value?.mode === 'frozen' ? { word: 'Frozen', tone: 'warn' } : { word: 'Live', tone: 'good' }
}

/** Sets the clock of the world. */
export const setClock = (body: Input<'PUT /clock'>['body']) => runAction(() => page.api.call('PUT /clock', { body }))

/** Moves the clock of the world forward, by a duration. */
export const advanceClock = (by: string) => runAction(() => page.api.call('POST /clock/advance', { body: { by } }))

/** Freezes the clock of the world, or lets it run. */
export const toggleClock = () => setClock({ mode: page.live.clock.peek()?.mode === 'frozen' ? 'running' : 'frozen' })

/** Moves the clock to the next job. To its time and not by a duration: two presses in a row must not go too far. */
export function goToNextEvent(): void {
  const [next] = page.upcoming.peek()
  if (next) void setClock({ now: next.at })
}

/** The clock of the world: one button, with all that sets the clock in its menu. */
export function ClockMenu() {
  const { clock } = page.live
  const { word, tone } = clockState()
  const time = clock.value ? page.timeText(page.time.value) : '--:--:--'
  const { rate = 1 } = clock.value ?? {}
  return (
    <Menu
      id="clock"
      class="end"
      buttonClass="clock"
      name={`Clock: ${word} ${time} ×${rate}`}
      label={
        <>
          <i class={`dot ${tone}`} />
          <span class="words">{word}</span> <b>{time}</b> {word === 'Live' && <span class="muted words">×{rate}</span>}
        </>
      }
    >
      {() => <ClockControls />}
    </Menu>
  )
}

const zones: readonly (readonly ['utc' | 'local', string])[] = [
  ['utc', 'UTC'],
  ['local', 'Local time'],
]

/** The controls of the clock, in its menu and in the part of a phone. */
export function ClockControls() {
  return (
    <>
      <WorldClock />
      <Parts label="Times of the page" parts={zones} chosen={page.zone} />
    </>
  )
}

function WorldClock() {
  const { clock } = page.live
  const target = useSignal('')
  const next = page.upcoming.value[0]
  const { mode = 'frozen', rate = 1 } = clock.value ?? {}
  const rates = [...new Set([1, 10, 60, 600, rate])].sort((one, other) => one - other)
  const setTime = () => setClock({ now: `${target.value}Z` })
  return (
    <fieldset class="clock-menu" disabled={page.isReadOnly.value} aria-label="Clock of the world">
      <time>{clock.value ? `${dateAndTime(page.time.value)} UTC` : '…'}</time>
      <div class="tools">
        <Button onClick={toggleClock}>{mode === 'frozen' ? 'Run' : 'Freeze'}</Button>
        <Select
          label="Speed of the clock"
          value={String(rate)}
          options={rates.map(one => [String(one), `×${one}`])}
          onChange={value => setClock({ rate: Number(value) })}
        />
        <Button onClick={() => advanceClock('1m')}>+1 min</Button>
        <Button onClick={() => advanceClock('1h')}>+1 h</Button>
      </div>
      <Button
        disabled={!next}
        title={next ? `${timeOfDay(Date.parse(next.at))}: ${next.what}` : 'Nothing is due.'}
        onClick={goToNextEvent}
      >
        Next event
        <span class="muted cut" dir="auto">
          {next ? `${duration(Math.max(0, Date.parse(next.at) - page.now.value))}: ${next.what}` : 'Nothing is due.'}
        </span>
      </Button>
      <Form class="row-of" onSubmit={setTime}>
        <Field
          label="Set to, in UTC"
          type="datetime-local"
          step="1"
          required
          text={target}
          onFocus={() => (target.value ||= new Date(page.now.peek()).toISOString().slice(0, 19))}
        />
        <button type="submit">Set</button>
      </Form>
    </fieldset>
  )
}
