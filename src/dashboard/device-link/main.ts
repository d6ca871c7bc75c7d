import type { DeviceLink, ErrorBody } from '../../core/generated/operations.js'

// The script of the page of a device link. Its URLs are relative to the page, `/devices/link/{token}`.

/** The states in which the page stops watching: the title of the state, and what a person can do. */
const ends = {
  complete: ['Complete', 'The link was completed elsewhere: the device has a cloud token. You may close this page.'],
  expired: ['Expired', 'The link has expired. Start a new link on the device.'],
  unknown: ['Unknown', 'The mock no longer has this link. Start a new link on the device.'],
} as const

type EndState = keyof typeof ends

/** The state of a link whose watch gets an error. */
const endOfCode: Readonly<Record<string, EndState>> = { TOKEN_EXPIRED: 'expired', TOKEN_INVALID: 'unknown' }

/** A call takes at most this time, in ms. */
const callTimeoutMs = 10_000

/** The shortest and the longest pause between two attempts, in ms. */
const [shortestPauseMs, longestPauseMs] = [500, 8_000]

class Refusal extends Error {
  readonly code: string

  constructor({ code, message }: ErrorBody) {
    super(message)
    this.code = code
  }
}

async function call<Answer>(path: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(path, init)
  const body = await response.json()
  if (!response.ok) throw new Refusal(body)
  return body
}

/**
 * The page of a pending link. It completes the link when a button is pressed, and watches its state. Buttons are enabled only
 * while the mock answers and the link is pending.
 */
class PendingLink {
  readonly #state = find('.state')
  readonly #choice = find('.choice')
  readonly #statusLine = find('[role=status]')
  readonly #buttons = [...document.querySelectorAll('button')]
  #hasEnded = false
  #completing: Promise<void> | undefined
  #watching = new AbortController()

  constructor(private readonly token: string) {
    for (const button of this.#buttons)
      button.addEventListener('click', () => {
        this.#completing = this.#complete(button.dataset)
      })
  }

  /** Watches the link until it ends. */
  async follow(): Promise<void> {
    let index: string | undefined
    let isLost = true
    let pauseMs = shortestPauseMs
    while (!this.#hasEnded) {
      const asked = Date.now()
      try {
        const { cloud_token, watch } = await this.#watch(index)
        // The button reports its own result.
        await this.#completing
        if (cloud_token !== undefined) this.#end('complete')
        else if (isLost && !this.#hasEnded) {
          this.#report('', '')
          this.#enable(true)
        }
        isLost = false
        pauseMs = shortestPauseMs
        // A mock that is closing answers at once.
        if (watch.index === index && Date.now() - asked < shortestPauseMs) await pause(shortestPauseMs)
        index = watch.index
      } catch (error) {
        await this.#completing
        const end = error instanceof Refusal ? endOfCode[error.code] : undefined
        if (end) this.#end(end)
        if (this.#hasEnded) return
        isLost = true
        index = undefined
        this.#enable(false)
        const text = error instanceof Refusal ? refusalText(error) : 'The mock does not answer.'
        this.#report('failed', `${text} Trying again …`)
        await pause(pauseMs)
        pauseMs = Math.min(2 * pauseMs, longestPauseMs)
      }
    }
  }

  #watch(index: string | undefined): Promise<DeviceLink> {
    this.#watching = new AbortController()
    const query = new URLSearchParams({ device_link_token: this.token, ...(index && { watch_index: index }) })
    return call(`../../cloud/devices/links?${query}`, { signal: this.#watching.signal })
  }

  /** Completes the link for the game of a button. */
  async #complete({ gameId, gameName }: DOMStringMap): Promise<void> {
    this.#enable(false)
    this.#report('busy', 'Completing the link …')
    try {
      await call(location.pathname, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ game_id: gameId }),
        signal: AbortSignal.timeout(callTimeoutMs),
      })
      this.#end('complete', `The device now has a cloud token of ${gameName}. You may close this page.`)
      this.#statusLine.focus()
    } catch (error) {
      if (error instanceof Refusal) this.#offerReload(error)
      // If the link has ended or the mock is gone, the watch reports it.
      else this.#watching.abort()
    }
  }

  #enable(isEnabled: boolean): void {
    for (const button of this.#buttons) button.disabled = !isEnabled
  }

  #report(state: '' | 'busy' | 'done' | 'failed', text: string): void {
    this.#statusLine.dataset.state = state
    this.#statusLine.textContent = text
  }

  #end(state: EndState, text: string = ends[state][1]): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#state.textContent = ends[state][0]
    this.#state.dataset.state = state
    this.#choice.remove()
    this.#report(state === 'complete' ? 'done' : 'failed', text)
  }

  #offerReload(error: Refusal): void {
    const again = document.createElement('button')
    again.type = 'button'
    again.textContent = 'Load the page again'
    again.addEventListener('click', () => location.reload())
    this.#report('failed', refusalText(error))
    this.#choice.replaceChildren(again)
    again.focus()
  }
}

function find(selector: string): HTMLElement {
  const element = document.querySelector<HTMLElement>(selector)
  if (!element) throw new Error(`the page has no ${selector}`)
  return element
}

function refusalText({ message }: Refusal): string {
  return `The mock refuses: ${message}`
}

function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}

const { link, state } = find('main').dataset
if (link !== undefined && state === 'pending') void new PendingLink(link).follow()
