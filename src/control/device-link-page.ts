import { formatInstant } from '../lib/time.js'
import { hasPassed } from '../store/clock.js'
import type { DeviceLinkRow, GameRow } from '../store/rows.js'
import { deviceLinkScript } from './device-link-script.js'
import { type Html, html, verbatim } from './html.js'
import { htmlDocument } from './html-document.js'
import type { PageMock } from './page-context.js'

/** The page that a device link's URL leads to: its state and, while it is pending, a button for each game. */
export function deviceLinkPage(link: DeviceLinkRow, mock: PageMock): Html {
  const { clock, games } = mock.world
  if (hasPassed(link.expires_at, clock)) {
    return page(
      link.device_link_token,
      html`${state('expired', 'Expired')}
<p>The link expired at ${moment(link.expires_at)}. Have the device prepare a new one.</p>`,
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

/** The page for a token that no device link has. */
export function unknownDeviceLinkPage(token: string): Html {
  return page(
    token,
    html`${state('unknown', 'Unknown')}
<p>No device link has this token. Have the device prepare a new one.</p>`,
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
    return html`<li>${cloud ? button(game, cloud.token) : missing(game)}</li>`
  })
  return html`${state('pending', 'Pending')}
<div class="choice">
<p>The device that shows <code>${link.device_link_token}</code> waits for a cloud token. Choose its game.</p>
<p class="note">Link ${link.device_link_id}. ${expiry(link, world.clock.now())}</p>
<ul class="games">
${games}
</ul>
</div>
<p role="status" tabindex="-1"></p>
<noscript><p>The buttons need JavaScript. Without it, POST /cloud/devices/links/complete does the same.</p></noscript>
${verbatim(`<script>${deviceLinkScript}</script>`)}`
}

function button({ game_id, display_name }: GameRow, token: string): Html {
  return html`<button type="button" dir="auto" disabled data-game-id="${game_id}" data-game-name="${display_name}" data-token="${token}">${display_name}</button>`
}

/** Until when a link waits. */
function expiry({ expires_at }: DeviceLinkRow, now: number): Html {
  if (expires_at === undefined) return html`It does not expire.`
  const minutes = Math.ceil((expires_at - now) / 60_000)
  return html`It expires at ${moment(expires_at)}, in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}, on the clock of the mock.`
}

/** A point in time, for people and for programs. */
function moment(at: number | undefined): Html {
  const text = formatInstant(at ?? 0)
  return html`<time datetime="${text}">${text.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')}</time>`
}

function missing({ display_name }: GameRow): Html {
  return html`<span class="note">${display_name} has no cloud token in this scenario, so no link can be completed for it.</span>`
}
