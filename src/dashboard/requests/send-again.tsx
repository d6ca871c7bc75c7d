import { type Signal, useSignal } from '@preact/signals'
import type { JournalEntry, ShortenedEntry } from '../../core/contract/journal.js'
import { exactValue } from '../../core/lib/json.js'
import type { SentRequest } from '../../core/pipeline/history.js'
import { Form, TextArea } from '../ui/controls.js'
import { prettyJson } from '../ui/format.js'
import { openDialog, runAction } from '../ui/screen.js'
import { page } from '../world/page-state.js'
import { Comparison } from './comparison.js'
import { headersToSend, urlOf } from './request-code.js'

/** The form that sends a request again. It then shows the old and the new answer, and the page shows the new request. */
export function SendAgain() {
  const { repeated } = page
  return repeated.value && <Repeated {...repeated.value} />
}

function Repeated({ entry, request }: NonNullable<typeof page.repeated.value>) {
  const { method, body_base64 } = request
  const body = useSignal(request.body ?? '')
  const isWaiting = useSignal(false)
  const answered: Signal<JournalEntry | undefined> = useSignal(undefined)
  const url = urlOf(request, page.api.url)
  const send = async () => {
    isWaiting.value = true
    await runAction(async () => {
      const before = page.beforeRequest()
      const status = await statusOf(request, url, body.value)
      const isNew = (one: ShortenedEntry) => one.method === method && one.path === entry.path && one.status === status
      // The user may have closed the dialog, and gone on.
      const id = openDialog.peek() === 'send-again' ? await page.openNewest(before, isNew) : undefined
      if (id === undefined) return `The mock answered ${status}.`
      answered.value = await page.api.call('GET /journal/{exchange_id}', { params: { exchange_id: String(id) } })
      return undefined
    })
    isWaiting.value = false
  }
  return (
    <Form onSubmit={send}>
      <p>
        <b>{method}</b> <code dir="auto">{url}</code>
      </p>
      {method !== 'GET' && (
        <TextArea
          label="Body"
          text={body}
          rows={10}
          placeholder={body_base64 === undefined ? '' : 'The bytes of the request, which are no text'}
        />
      )}
      <button type="submit" class="main" data-first disabled={isWaiting.value}>
        {isWaiting.value ? 'Waits for the answer' : 'Send'}
      </button>
      {answered.value && (
        <Comparison label="The old and the new answer" old={answerOf(entry)} changed={answerOf(answered.value)} />
      )}
    </Form>
  )
}

function answerOf(entry: JournalEntry): readonly [name: string, text: string] {
  return [`Request ${entry.id}: ${entry.status || 'no answer'}`, prettyJson(exactValue(entry, 'answer'))]
}

/** Sends a request, and returns the status of its answer. 0: the connection closed without one. */
async function statusOf(request: SentRequest, url: string, body: string): Promise<number> {
  const { method, body_base64: kept } = request
  const hasBody = method !== 'GET' && body !== ''
  const bytes = kept === undefined ? undefined : Uint8Array.from(atob(kept), one => one.charCodeAt(0))
  try {
    const response = await page.api.fetch(url, {
      method,
      headers: headersToSend(request),
      ...(hasBody ? { body } : bytes ? { body: bytes } : {}),
    })
    return response.status
  } catch {
    return 0
  }
}
