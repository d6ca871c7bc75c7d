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
<p>Have the device prepare a new link.</p>`,
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
  return page(link.device_link_token, pending(mock))
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

function pending({ world, tokens }: PageMock): Html {
  const games = world.games.all().map(game => {
    const cloud = tokens.find(token => token.kind === 'cloud' && token.game === game.name_id)
    return html`<li>${cloud ? button(game, cloud.token) : missing(game)}</li>`
  })
  return html`${state('pending', 'Pending')}
<div class="choice">
<p>Choose the game that the device gets a cloud token of.</p>
<ul class="games">
${games}
</ul>
</div>
<p role="status" tabindex="-1"></p>
<noscript><p>The buttons need JavaScript. Without it, POST /cloud/devices/links/complete does the same.</p></noscript>
${verbatim(`<script>${deviceLinkScript}</script>`)}`
}

function button({ game_id, display_name }: GameRow, token: string): Html {
  return html`<button type="button" dir="auto" data-game-id="${game_id}" data-game-name="${display_name}" data-token="${token}">${display_name}</button>`
}

function missing({ display_name }: GameRow): Html {
  return html`<span class="note">${display_name} has no cloud token in this scenario, so no link can be completed for it.</span>`
}
