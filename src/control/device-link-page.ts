import { formatInstant } from '../lib/time.js'
import { hasPassed } from '../store/clock.js'
import type { DeviceLinkRow, GameRow } from '../store/rows.js'
import { type Html, html, htmlDocument, verbatim } from './html.js'
import type { WorldControl } from './world-control.js'

type PageMock = Pick<WorldControl, 'world' | 'tokens'>

/** Creates the page of a device link. It shows the state of the link and, while that is pending, a button for each game. */
export function deviceLinkPage(link: DeviceLinkRow, mock: PageMock): Html {
  const { clock, games } = mock.world
  if (hasPassed(link.expires_at, clock)) {
    return page(
      link.device_link_token,
      html`${state('expired', 'Expired')}
<p>The link expired at ${timeElement(link.expires_at)}. Start a new link on the device.</p>`,
    )
  }
  if (link.status === 'complete') {
    const name = games.get(link.game_id)?.display_name ?? link.game_id
    return page(
      link.device_link_token,
      html`${state('complete', 'Complete')}
<p>The device has a cloud token of ${name}. You may close this page.</p>`,
    )
  }
  return page(link.device_link_token, pending(link, mock))
}

export function unknownDeviceLinkPage(token: string): Html {
  return page(
    token,
    html`${state('unknown', 'Unknown')}
<p>No device link has this token. Start a new link on the device.</p>`,
  )
}

function page(token: string, card: Html): Html {
  const main = html`<main class="narrow" data-link="${token}">
<p class="mark">mockmaker</p>
<h1>Device link</h1>
<p class="address">${token}</p>
<div class="card">
${card}
</div>
</main>`
  return htmlDocument({ title: 'Device link', main })
}

function state(name: 'pending' | 'complete' | 'expired' | 'unknown', text: string): Html {
  return html`<p class="state" data-state="${name}">${text}</p>`
}

function pending(link: DeviceLinkRow, { world, tokens }: PageMock): Html {
  const games = world.games.all().map(game => {
    const cloud = tokens.find(token => token.kind === 'cloud' && token.game === game.name_id)
    return html`<li>${cloud ? gameButton(game, cloud.token) : missingTokenNote(game)}</li>`
  })
  return html`${state('pending', 'Pending')}
<div class="choice">
<p>The device that shows <code>${link.device_link_token}</code> waits for a cloud token. Choose its game.</p>
<p class="note">Link ${link.device_link_id}. ${expiryNote(link, world.clock.now())}</p>
<ul class="games">
${games}
</ul>
</div>
<p role="status" tabindex="-1"></p>
<noscript><p>The buttons need JavaScript. Without it, POST /cloud/devices/links/complete does the same.</p></noscript>
${verbatim(`<script>${deviceLinkScript}</script>`)}`
}

function gameButton({ game_id, display_name }: GameRow, token: string): Html {
  return html`<button type="button" dir="auto" disabled data-game-id="${game_id}" data-game-name="${display_name}" data-token="${token}">${display_name}</button>`
}

function expiryNote({ expires_at }: DeviceLinkRow, now: number): Html {
  if (expires_at === undefined) return html`It does not expire.`
  const minutes = Math.ceil((expires_at - now) / 60_000)
  return html`It expires at ${timeElement(expires_at)}, in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}, on the clock of the mock.`
}

function timeElement(at: number | undefined): Html {
  const text = formatInstant(at ?? 0)
  return html`<time datetime="${text}">${text.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}</time>`
}

function missingTokenNote({ display_name }: GameRow): Html {
  return html`<span class="note">${display_name} has no cloud token in this scenario, so you cannot complete a link for it.</span>`
}

/**
 * The script of the page. It completes the link when a button is pressed, and watches its state. Buttons are enabled only
 * while the mock answers and the link is pending. Its URLs are relative to the page, `/devices/link/{token}`.
 */
export const deviceLinkScript = `
const main = document.querySelector('main')
const state = document.querySelector('.state')
const choice = document.querySelector('.choice')
const statusLine = document.querySelector('[role=status]')
const buttons = [...document.querySelectorAll('button')]
const { link } = main.dataset
const pause = ms => new Promise(resolve => setTimeout(resolve, ms))

let hasEnded = false
let completing
let watching

const ends = {
  TOKEN_EXPIRED: ['expired', 'Expired', 'The link has expired. Start a new link on the device.'],
  TOKEN_INVALID: ['unknown', 'Unknown', 'The mock no longer has this link. Start a new link on the device.'],
}

async function answerOf(response) {
  const body = await response.json()
  if (response.ok) return body
  throw Object.assign(new Error(body.message), { code: body.code, isRefusal: true })
}

function report(kind, text) {
  statusLine.dataset.state = kind
  statusLine.textContent = text
}

function enable(isEnabled) {
  for (const button of buttons) button.disabled = !isEnabled
}

function end(name, title, text) {
  if (hasEnded) return
  hasEnded = true
  state.textContent = title
  state.dataset.state = name
  choice.remove()
  report(name === 'complete' ? 'done' : 'failed', text)
}

function watch(index) {
  watching = new AbortController()
  const query = new URLSearchParams({ device_link_token: link, ...(index && { watch_index: index }) })
  return fetch('../../cloud/devices/links?' + query, { signal: watching.signal }).then(answerOf)
}

async function follow() {
  let index
  let isLost = true
  let wait = 500
  while (!hasEnded) {
    const asked = Date.now()
    try {
      const { cloud_token, watch: { index: next } } = await watch(index)
      // The button reports its own result.
      await completing
      if (cloud_token) end('complete', 'Complete', 'The link was completed elsewhere: the device has a cloud token. You may close this page.')
      else if (isLost && !hasEnded) {
        report('', '')
        enable(true)
      }
      isLost = false
      wait = 500
      // A mock that is closing answers at once.
      if (next === index && Date.now() - asked < 500) await pause(500)
      index = next
    } catch (error) {
      await completing
      if (error.code in ends) end(...ends[error.code])
      if (hasEnded) return
      isLost = true
      index = undefined
      enable(false)
      report('failed', (error.isRefusal ? 'The mock refuses: ' + error.message : 'The mock does not answer.') + ' Trying again …')
      await pause(wait)
      wait = Math.min(2 * wait, 8000)
    }
  }
}

async function complete({ gameId, gameName, token }) {
  enable(false)
  report('busy', 'Completing the link …')
  try {
    await fetch('../../cloud/devices/links/complete', {
      method: 'POST',
      headers: { authorization: 'Bearer ' + token, 'content-type': 'application/json' },
      body: JSON.stringify({ device_link_token: link, game_id: gameId }),
      signal: AbortSignal.timeout(10000),
    }).then(answerOf)
    end('complete', 'Complete', 'The device now has a cloud token of ' + gameName + '. You may close this page.')
    statusLine.focus()
  } catch (error) {
    // If the link has ended or the mock is gone, the watch reports it.
    if (error.isRefusal) offerReload(error.message)
    else watching.abort()
  }
}

function offerReload(message) {
  const again = document.createElement('button')
  again.type = 'button'
  again.textContent = 'Load the page again'
  again.addEventListener('click', () => location.reload())
  report('failed', 'The mock refuses: ' + message)
  choice.replaceChildren(again)
  again.focus()
}

for (const button of buttons) {
  button.addEventListener('click', () => {
    completing = complete(button.dataset)
  })
}
follow()
`

/** Allows the script in a content security policy: the SHA-256 of its text. */
export const deviceLinkScriptHash = 'sha256-ls8gsxsvWAPaIF4vzFqm0Rm61s/wRIqGOQ0idxzLrSk='
