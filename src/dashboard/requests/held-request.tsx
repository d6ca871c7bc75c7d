import { type Signal, useSignal } from '@preact/signals'
import type { HeldAnswer, HeldRelease } from '../../core/contract/faults.js'
import type { HeldRequest } from '../../core/pipeline/held-requests.js'
import { Button, type DetailsAction, Field, Form, TextArea } from '../ui/controls.js'
import { duration, parseJson, prettyJson } from '../ui/format.js'
import { runAction, useLoaded } from '../ui/screen.js'
import { operationName, outcomeOf, sentence } from '../world/outcome.js'
import { page } from '../world/page-state.js'
import { DetailsPane } from '../world/panes.js'
import { Comparison } from './comparison.js'
import { Sent } from './request-details.js'
import { waitWords } from './requests.js'

/** The details of the held request: the answer that it would get, and how it goes on. */
export function HeldRequestDetails() {
  const { opened, live } = page
  const id = opened.value?.kind === 'held' ? opened.value.id : undefined
  // The answer depends on the world.
  const held = useLoaded(
    async () => (id === undefined ? undefined : await readHeld(id)),
    [id, live.revision.value, live.pending.value],
  )
  if (id === undefined) return null
  if (held === 'gone' || held?.id !== id)
    return (
      <DetailsPane label="The held request" title="Held request">
        <p class="empty">{held ? 'No fault holds this request any more.' : '…'}</p>
      </DetailsPane>
    )
  return <Held key={id} held={held} />
}

async function readHeld(id: string): Promise<HeldRequest | 'gone'> {
  try {
    return await page.api.call('GET /held/{request_id}', { params: { request_id: id } })
  } catch (error) {
    if (Object(error).status === 404) return 'gone'
    throw error
  }
}

const failures: readonly (readonly [text: string, how: HeldRelease])[] = [
  ['Fail with 503', { error: { status: 503 } }],
  ['429, retry after 1 s', { error: { code: 'API_RATE_LIMIT', retry_after: 1 } }],
  ['Cut the connection', { reset: true }],
  ['Never answer', { never: true }],
]

/** The text that the user wrote instead of the draft. `undefined`: none. */
interface Edit {
  readonly status: Signal<string | undefined>
  readonly body: Signal<string | undefined>
  /** The time until the answer. Empty: none. */
  readonly delay: Signal<string>
}

function Held({ held }: { readonly held: HeldRequest }) {
  const edit: Edit = { status: useSignal(undefined), body: useSignal(undefined), delay: useSignal('') }
  const { since, fault } = held
  return (
    <DetailsPane
      label="The held request"
      title={operationName(held)}
      facts={
        <p class="muted cut">
          <b class="warn">held</b> since {page.timeText(Date.parse(since))},{' '}
          {duration(Math.max(0, page.now.value - Date.parse(since)))}
        </p>
      }
      actions={actionsOf(held, edit)}
    >
      <div class="block">
        <p class="sentence" dir="auto">
          {draftSentence(held)}
        </p>
        <p class="muted">Fault {fault} holds it. No row of the world has changed yet.</p>
        <AnswerForm held={held} edit={edit} />
        <details>
          <summary>Sent</summary>
          <Sent request={held} />
        </details>
      </div>
    </DetailsPane>
  )
}

function actionsOf({ id, fault, since }: HeldRequest, edit: Edit): DetailsAction[] {
  const [answer] = readAnswer(edit)
  const isOff = page.isReadOnly.value
  const release = (how: HeldRelease) =>
    runAction(async () => {
      const before = page.beforeRequest()
      const delay = edit.delay.value.trim() || undefined
      await page.api.call('POST /held/{request_id}/release', { params: { request_id: id }, body: { ...how, delay } })
      await page.openNewest(before, entry => entry.fault === fault && entry.since === since)
    })
  return [
    {
      ...{ id: 'release-edited', label: 'Release with this answer', kind: 'main' },
      isOff: isOff || !answer || !isEdited(edit),
      run: () => answer && release({ answer }),
    },
    { id: 'release', label: 'Release as it was', isOff, run: () => release({}) },
    ...failures.map(([label, how]) => ({ id: label, label, kind: 'danger', isOff, run: () => release(how) }) as const),
  ]
}

/** The editor of the answer. It marks what the contract does not allow. */
function AnswerForm({ held: { id, draft }, edit }: { readonly held: HeldRequest; readonly edit: Edit }) {
  const { status, body, delay } = edit
  const [answer, mistake] = readAnswer(edit)
  const checked = useLoaded(() => problemsOf(id, answer), [status.value, body.value])
  const problems = mistake !== undefined ? [mistake] : isEdited(edit) ? (checked ?? []) : []
  const drafted = { status: String(draft.status ?? ''), body: prettyJson(draft.body) }
  const undo = () => {
    status.value = undefined
    body.value = undefined
  }
  return (
    <fieldset disabled={page.isReadOnly.value}>
      <Form>
        <div class="row-of">
          <Field label="Status" inputMode="numeric" text={status} initial={drafted.status} />
          <Field label="Wait before the answer" text={delay} placeholder="0ms" />
        </div>
        <TextArea
          label="Body, as JSON"
          text={body}
          initial={drafted.body}
          rows={12}
          aria-invalid={problems.length > 0}
          aria-describedby="problems"
        />
        <ul id="problems" class="warn" aria-live="polite">
          {problems.map(text => (
            <li key={text}>{text}</li>
          ))}
        </ul>
        {isEdited(edit) && (
          <>
            <Comparison
              label="The draft and the edited answer"
              old={[`Draft: ${drafted.status}`, drafted.body]}
              changed={[`Edited: ${status.value ?? drafted.status}`, body.value ?? drafted.body]}
            />
            <Button onClick={undo}>Undo the changes</Button>
          </>
        )}
      </Form>
    </fieldset>
  )
}

/** Asks the mock for what the contract does not allow. What the mock refuses is a problem too. */
async function problemsOf(id: string, answer: HeldAnswer = {}): Promise<readonly string[]> {
  try {
    const call = { params: { request_id: id }, body: answer }
    return (await page.api.call('POST /held/{request_id}/check', call)).problems.map(({ message }) => message)
  } catch (error) {
    return [(error as Error).message] // of the call
  }
}

function isEdited({ status, body }: Edit): boolean {
  return status.value !== undefined || body.value !== undefined
}

/** Says what the client would get now, or what it would wait for. */
function draftSentence(held: HeldRequest): string {
  const { status = 0, body, waits_for } = held.draft
  if (waits_for) return `The client waits. Without the fault it would wait ${waitWords[waits_for]}.`
  const outcome = outcomeOf({ ...held, status, answer: body, fault: undefined }, page.live)
  return sentence(`The client waits. It would get ${[status, outcome].filter(Boolean).join(': ')}`)
}

function readAnswer({ status, body }: Edit): readonly [answer: HeldAnswer | undefined, mistake?: string] {
  try {
    return [
      {
        ...(status.value !== undefined && (parseJson('status', 'The status', status.value) as { status: number })), // the mock checks it
        ...(body.value !== undefined && parseJson('body', 'The body', body.value)),
      },
    ]
  } catch (error) {
    return [undefined, (error as Error).message] // of parseJson
  }
}
