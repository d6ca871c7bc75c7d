import * as z from 'zod'
import { ApiError } from '../../core/contract/errors.js'
import { decodeSegment, deviceLinkPath } from '../../core/contract/paths.js'
import type { WorldControl } from '../../core/control/world-control.js'
import { quoted } from '../../core/lib/messages.js'
import { dateAndTime, formatInstant } from '../../core/lib/time.js'
import type { RunningWorld } from '../../core/mock/running-world.js'
import { header, type MockRequest, type MockResponse } from '../../core/pipeline/message.js'
import { isOwnOrigin } from '../../core/pipeline/origin.js'
import { parseJson } from '../../core/pipeline/parse.js'
import { hasPassed } from '../../core/store/clock.js'
import type { DeviceLinkRow, GameRow } from '../../core/store/rows.js'
import type { TokenInfo } from '../../core/store/tokens.js'

/** The parts of a world that the pages show. */
export type PagedWorld = Pick<WorldControl, 'world' | 'tokens'>

type CompletedWorld = PagedWorld & Pick<RunningWorld, 'handle' | 'responder'>

interface Html {
  readonly html: string
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Template tag for HTML. Escapes texts for elements and quoted attributes. Inserts other `Html` unchanged. */
export function html(template: TemplateStringsArray, ...pieces: readonly (Html | string | readonly Html[])[]): Html {
  const escaped = pieces.map(piece => {
    if (typeof piece === 'string') return piece.replaceAll(/[&<>"']/g, character => entities[character] ?? '')
    return 'html' in piece ? piece.html : piece.map(({ html }) => html).join('')
  })
  return { html: String.raw({ raw: template }, ...escaped) }
}

/** Creates the main element of a page. It shows the state of a link and, while that is pending, a button for each game. */
export function deviceLinkMain(link: DeviceLinkRow, { world, tokens }: PagedWorld): Html {
  const token = link.device_link_token
  if (hasPassed(link.expires_at, world.clock))
    return main(token, 'expired', [
      html`<p>The link expired at ${timeElement(link.expires_at)}. Start a new link on the device.</p>`,
    ])
  if (link.status === 'complete') {
    const name = world.games.get(link.game_id)?.display_name ?? link.game_id
    return main(token, 'complete', [html`<p>The device has a cloud token of ${name}. You may close this page.</p>`])
  }
  const games = world.games.all().map(game => {
    const { game_id, display_name: name } = game
    const choice = cloudTokenOf(game, tokens)
      ? html`<button type="button" dir="auto" disabled data-game-id="${game_id}" data-game-name="${name}">${name}</button>`
      : html`<span class="note">${name} has no cloud token in this scenario, so you cannot complete a link for it.</span>`
    return html`<li>${choice}</li>`
  })
  return main(token, 'pending', [
    html`<div class="choice">
<p>The device that shows <code>${token}</code> waits for a cloud token. Choose its game.</p>
<p class="note">${expiryNote(link, world.clock.now())}</p>
<ul class="games">
${games}
</ul>
</div>
<p role="status" tabindex="-1"></p>
<noscript><p>The buttons need JavaScript. Without it, POST /cloud/devices/links/complete does the same.</p></noscript>`,
  ])
}

function cloudTokenOf({ name_id }: GameRow, tokens: PagedWorld['tokens']): TokenInfo | undefined {
  return tokens.find(token => token.kind === 'cloud' && token.game === name_id)
}

/** Tells whether the page of a device link has sent a request: its button posts to the path of the page. */
export function isFromDeviceLinkPage({ method, path }: Pick<MockRequest, 'method' | 'path'>): boolean {
  return method === 'POST' && path.startsWith(deviceLinkPath)
}

const Choice = z.object({ game_id: z.string() })
const encoder = new TextEncoder()

/** Completes the device link of a page, which has no token: whoever opens it may do that. Never throws or rejects. */
export function completeDeviceLink(request: MockRequest, mock: CompletedWorld): MockResponse | Promise<MockResponse> {
  try {
    checkOwnChoice(request)
    const { game_id } = parseJson(request, Choice, { bytes: 1024, levels: 1 })
    const game = mock.world.games.get(game_id)
    const cloud = game && cloudTokenOf(game, mock.tokens)
    if (!cloud)
      throw new ApiError('API_BAD_BODY', `body.game_id is ${quoted(game_id)}: no such game has a cloud token here`)
    const device_link_token = decodeSegment(request.path.slice(deviceLinkPath.length))
    return mock.handle({
      method: 'POST',
      path: '/cloud/devices/links/complete',
      headers: { ...request.headers, authorization: `Bearer ${cloud.token}` },
      body: encoder.encode(JSON.stringify({ device_link_token, game_id })),
      address: request.address,
      forwardedFor: request.forwardedFor,
    })
  } catch (error) {
    return mock.responder.refuse(request, error)
  }
}

/** Refuses what a page of another site could send: only scripts send JSON, and only after a preflight. Throws `ApiError`. */
function checkOwnChoice(request: MockRequest): void {
  const isJson = /^application\/json\s*(;|$)/i.test(header(request, 'content-type') ?? '')
  if (isJson && (header(request, 'origin') === undefined || isOwnOrigin(request))) return
  throw new ApiError(
    'API_FORBIDDEN',
    'only the page of a device link may post here: send POST /cloud/devices/links/complete with a cloud token',
  )
}

export function unknownDeviceLinkMain(token: string): Html {
  return main(token, 'unknown', [html`<p>No device link has this token. Start a new link on the device.</p>`])
}

const titles = { pending: 'Pending', complete: 'Complete', expired: 'Expired', unknown: 'Unknown' }

function main(token: string, state: keyof typeof titles, card: readonly Html[]): Html {
  return html`<main data-link="${token}" data-state="${state}">
<p class="mark">mockmaker</p>
<h1>Device link</h1>
<p class="address">${token}</p>
<div class="card">
<p class="state" data-state="${state}">${titles[state]}</p>
${card}
</div>
</main>`
}

function expiryNote({ expires_at }: DeviceLinkRow, now: number): Html {
  if (expires_at === undefined) return html`It does not expire.`
  const minutes = Math.ceil((expires_at - now) / 60_000)
  const duration = `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`
  return html`It expires at ${timeElement(expires_at)}, in ${duration}, on the clock of the mock.`
}

function timeElement(at: number | undefined): Html {
  return html`<time datetime="${formatInstant(at ?? 0)}">${dateAndTime(at ?? 0)} UTC</time>`
}
