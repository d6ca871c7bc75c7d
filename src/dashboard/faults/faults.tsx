import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Fault, FaultState } from '../../core/contract/faults.js'
import type { JournalEntry } from '../../core/contract/journal.js'
import { counted } from '../../core/lib/messages.js'
import { durationFormat, parseDuration } from '../../core/lib/time.js'
import { Button, Choice, Field, Form } from '../ui/controls.js'
import { duration } from '../ui/format.js'
import { runAction, useLoaded } from '../ui/screen.js'
import { copy } from '../world/copy.js'
import { regionName } from '../world/lobby-rows.js'
import { errorOf } from '../world/outcome.js'
import { isOver, page } from '../world/page-state.js'

const presets: readonly { readonly name: string; readonly fault: Fault }[] = [
  { name: 'Slow: every answer takes 2 s', fault: { effect: { delay: '2s' } } },
  { name: 'One in ten requests fails', fault: { effect: { error: { status: 500 } }, chance: 0.1 } },
  { name: 'Rate limited', fault: { effect: { error: { code: 'API_RATE_LIMIT' } } } },
  { name: 'The connection drops', fault: { effect: { reset: true } } },
  { name: 'Hold every find until you release it', fault: { operation: 'lobbies.find', effect: { hold: true } } },
]

const lifetimes = [
  { name: 'Once', limit: { times: 1 } },
  { name: '30 s', limit: { for: '30s' } },
  { name: 'Until off', limit: {} },
] as const

/** The faults of the world, and the forms of new ones. */
export function Faults() {
  const add = (fault: Fault) =>
    runAction(async () => {
      if (page.live.faults.value.some(one => textOf(one) === textOf(fault) && !isOver(one, page.time.value)))
        return 'This fault is on already.'
      return page.api.call('POST /faults', { body: fault })
    })
  return (
    <section class="pane" aria-labelledby="faults">
      <header class="bar">
        <h2 id="faults">Faults</h2>
      </header>
      <fieldset class="body block" disabled={page.isReadOnly.value}>
        <ActiveFaults />
        <h3>Make it go wrong</h3>
        <ul class="lines">
          {presets.map(({ name, fault }) => (
            <li key={name}>
              <span>{name}</span>
              <span class="tools" role="group" aria-label={name}>
                {lifetimes.map(({ name: lifetime, limit }) => (
                  <button key={lifetime} type="button" onClick={() => add({ ...fault, ...limit })}>
                    {lifetime}
                  </button>
                ))}
              </span>
            </li>
          ))}
        </ul>
        <CustomFault key={page.faultDraft.value?.id} onAdd={add} />
      </fieldset>
    </section>
  )
}

/** Writes what a fault does, to compare it with others. */
function textOf({ operation, region, effect, times, after, for: lasting, chance }: Fault): string {
  return JSON.stringify([operation, region, effect, times, after, lasting, chance])
}

function ActiveFaults() {
  const faults = page.live.faults.value
  if (faults.length === 0) return <p class="muted">No fault is on.</p>
  const call = (route: 'DELETE /faults/{fault_id}' | 'POST /faults/{fault_id}/release', id: string) =>
    runAction(() => page.api.call(route, { params: { fault_id: id } }))
  return (
    <ul class="lines" aria-label="Faults">
      {faults.map(fault => (
        <li key={fault.id}>
          <span dir="auto">
            <b>{fault.id}</b>{' '}
            {fault.region === undefined
              ? `${effectWords(fault)}, ${fault.operation ?? 'every request'}`
              : `${regionName(fault.region, page.shown.value.tables)} down`}
            {limitWords(fault)} {isOver(fault, page.time.value) && <b class="badge">over</b>}
            <small class="muted">
              applied to {counted(fault.struck, 'request', 'requests')}
              {fault.holding > 0 && `, holds ${fault.holding}`}
            </small>
          </span>
          <span class="tools">
            {isStaged(fault, page.time.value) && <BeginOf fault={fault} />}
            {fault.holding > 0 && (
              <>
                <HeldOf fault={fault.id} />
                <Button onClick={() => call('POST /faults/{fault_id}/release', fault.id)}>Release</Button>
              </>
            )}
            <Button onClick={() => call('DELETE /faults/{fault_id}', fault.id)}>
              {isOver(fault, page.time.value) ? 'Remove' : 'Turn off'}
            </Button>
          </span>
        </li>
      ))}
    </ul>
  )
}

type StagedFault = FaultState & { readonly begins_at: string }

/** Tells whether a fault begins at a time to come. One that waits for a number of requests has no such time. */
function isStaged(fault: FaultState, now: number): fault is StagedFault {
  return fault.begins_at !== undefined && Date.parse(fault.begins_at) > now
}

/** Says when a staged fault begins, and moves it. */
function BeginOf({ fault }: { readonly fault: StagedFault }) {
  // The rest are its settings.
  const { id, matched, struck, holding, added_at, began_at, begins_at, ends_at, last_at, ...settings } = fault
  const text = useSignal('')
  const submit = () =>
    runAction(async () => {
      const ms = parseDuration(text.value.trim())
      if (ms === undefined) throw new Error(`Begins in is "${text.value}": expected ${durationFormat}`)
      const after = Math.ceil(page.now.peek() + ms - Date.parse(added_at))
      const call = { params: { fault_id: id }, body: { ...settings, after: `${after}ms` } }
      await page.api.call('PUT /faults/{fault_id}', call)
      text.value = ''
    })
  return (
    <Form class="row-of" onSubmit={submit}>
      <Field
        label="Begins in"
        text={text}
        placeholder={duration(Math.max(0, Date.parse(begins_at) - page.time.value))}
      />
    </Form>
  )
}

/** Opens the first request that a fault holds. */
function HeldOf({ fault }: { readonly fault: string }) {
  const id = page.live.pending.value.pending.find(one => one.fault === fault)?.id
  if (id === undefined) return null
  return <Button onClick={() => page.open('held', id)}>Edit the answer</Button>
}

function effectWords({
  effect: { delay, error, reset, empty, hold, truncate, index, date, spurious },
}: FaultState): string {
  if (delay !== undefined) return `delay ${typeof delay === 'string' ? delay : JSON.stringify(delay)}`
  if (error) return `error ${[error.status, error.code].filter(part => part !== undefined).join(' ')}`
  if (reset) return 'connection drops'
  if (empty) return 'no answer'
  if (hold) return 'hold'
  if (truncate) return 'half an answer'
  if (index) return `index ${index.offset}`
  if (date !== undefined) return `date ${date}`
  return `wakes watches after ${spurious}`
}

function limitWords({ times, for: lasting, chance }: FaultState): string {
  const parts = [
    ...(times === undefined ? [] : [times === 1 ? 'once' : `${times} times`]),
    ...(lasting === undefined ? [] : [`for ${lasting}`]),
    ...(chance === undefined || chance === 1 ? [] : [`${Math.round(chance * 100)} of 100`]),
  ]
  return parts.map(part => `, ${part}`).join('')
}

type EffectName = 'error' | 'delay' | 'reset' | 'empty' | 'hold' | 'truncate' | 'index' | 'date' | 'outage'

const effectNames: readonly [EffectName, text: string][] = [
  ['error', 'Answer with an error'],
  ['delay', 'Delay the answer'],
  ['hold', 'Hold the request'],
  ['reset', 'Drop the connection'],
  ['empty', 'Close it without an answer'],
  ['truncate', 'Send half an answer'],
  ['index', 'Shift the watch index'],
  ['date', 'Shift the date header'],
  ['outage', 'Take a region down'],
]

/** The fields of any other fault, and the fault that they make. */
function useFault(draft: JournalEntry | undefined) {
  const { code = '', message = '' } = errorOf(draft?.answer)
  const [region] = page.shown.value.tables.regions.keys()
  const fields = {
    operation: useSignal<string>(draft?.operation ?? ''),
    effect: useSignal<EffectName>(draft?.status === 0 ? 'reset' : 'error'),
    status: useSignal(String(draft && draft.status >= 400 ? draft.status : 500)),
    code: useSignal(code),
    message: useSignal(message),
    delay: useSignal('2s'),
    offset: useSignal('1000'),
    date: useSignal('+90s'),
    region: useSignal(region),
    times: useSignal('1'),
    after: useSignal(''),
    lasting: useSignal(''),
    chance: useSignal('100'),
  }
  const effectOf = (): Fault['effect'] => {
    const { effect, delay, offset, date, status, code, message } = fields
    if (effect.value === 'delay') return { delay: delay.value }
    if (effect.value === 'index') return { index: { offset: offset.value } }
    if (effect.value === 'date') return { date: date.value }
    if (effect.value !== 'error') return { [effect.value]: true }
    const error = {
      status: Number(status.value),
      code: code.value || undefined,
      message: message.value || undefined,
    }
    return { error: error as NonNullable<Fault['effect']['error']> } // the mock checks the code
  }
  const fault = (): Fault => {
    const { effect, region, operation, times, after, lasting, chance } = fields
    const own = { effect: effectOf(), after: after.value || undefined, for: lasting.value || undefined }
    if (effect.value === 'outage') return { ...own, region: region.value }
    return {
      ...own,
      operation: (operation.value || undefined) as Fault['operation'], // the mock checks it
      times: times.value === '' ? undefined : Number(times.value),
      chance: chance.value === '100' ? undefined : Number(chance.value) / 100,
    }
  }
  return { ...fields, fault }
}

function CustomFault({ onAdd }: { onAdd(fault: Fault): Promise<boolean> }) {
  const draft = page.faultDraft.value
  const { fault, ...fields } = useFault(draft)
  const effect = fields.effect.value
  const isOutage = effect === 'outage'
  const { tables } = page.shown.value
  // They only help to type.
  const operations = useLoaded(readOperationIds, [])
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    // Enter turns on the fault of a request.
    if (draft) button.current?.focus()
    return () => void (page.faultDraft.value = undefined)
  }, [])
  return (
    <details class="custom" open={draft !== undefined}>
      <summary>Another fault</summary>
      <Form onSubmit={() => onAdd(fault())}>
        {isOutage ? (
          <Choice
            label="Region"
            chosen={fields.region}
            options={[...tables.regions.keys()].map(id => [id, regionName(id, tables)])}
          />
        ) : (
          <Field label="Operation" list="operation-ids" placeholder="every request" text={fields.operation} />
        )}
        <datalist id="operation-ids">
          {operations?.map(id => (
            <option key={id} value={id} />
          ))}
        </datalist>
        <Choice label="Effect" chosen={fields.effect} options={effectNames} />
        {effect === 'error' && (
          <>
            <Field label="Status" inputMode="decimal" text={fields.status} />
            <Field label="Code" placeholder="ERROR" text={fields.code} />
            <Field label="Message" text={fields.message} />
          </>
        )}
        {effect === 'delay' && <Field label="Delay" text={fields.delay} />}
        {effect === 'index' && <Field label="Offset" text={fields.offset} />}
        {effect === 'date' && <Field label="Shift" text={fields.date} />}
        {!isOutage && <Field label="Times" inputMode="decimal" placeholder="always" text={fields.times} />}
        <Field label="After" placeholder="now, or 30s" text={fields.after} />
        <Field label="For" placeholder="until off, or 30s" text={fields.lasting} />
        {!isOutage && <Field label="Of 100 requests" inputMode="decimal" text={fields.chance} />}
        <button type="submit" class="main" ref={button}>
          Turn it on
        </button>
      </Form>
    </details>
  )
}

/** Reads the ids of all operations from the OpenAPI document of the server. */
async function readOperationIds(): Promise<readonly string[]> {
  if (copy) return copy.operationIds
  const response = await page.api.fetch(`${page.api.url}/openapi.json`)
  const { paths }: { paths: Record<string, Record<string, { operationId?: string }>> } = await response.json()
  return Object.values(paths).flatMap(path => Object.values(path).flatMap(({ operationId }) => operationId ?? []))
}
