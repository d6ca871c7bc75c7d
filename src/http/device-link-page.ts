import type { WorldControl } from '../control/world-control.js'
import { dateAndTime, formatInstant } from '../lib/time.js'
import { hasPassed } from '../store/clock.js'
import type { DeviceLinkRow, GameRow } from '../store/rows.js'

/** The parts of a world that the pages show. */
export type PagedWorld = Pick<WorldControl, 'world' | 'tokens'>

/** HTML whose interpolated texts are escaped. */
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
    const cloud = tokens.find(token => token.kind === 'cloud' && token.game === game.name_id)
    return html`<li>${cloud ? gameButton(game, cloud.token) : missingTokenNote(game)}</li>`
  })
  return main(token, 'pending', [
    html`<div class="choice">
<p>The device that shows <code>${token}</code> waits for a cloud token. Choose its game.</p>
<p class="note">Link ${link.device_link_id}. ${expiryNote(link, world.clock.now())}</p>
<ul class="games">
${games}
</ul>
</div>
<p role="status" tabindex="-1"></p>
<noscript><p>The buttons need JavaScript. Without it, POST /cloud/devices/links/complete does the same.</p></noscript>`,
  ])
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

function gameButton({ game_id, display_name }: GameRow, token: string): Html {
  return html`<button type="button" dir="auto" disabled data-game-id="${game_id}" data-game-name="${display_name}" data-token="${token}">${display_name}</button>`
}

function missingTokenNote({ display_name }: GameRow): Html {
  return html`<span class="note">${display_name} has no cloud token in this scenario, so you cannot complete a link for it.</span>`
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
