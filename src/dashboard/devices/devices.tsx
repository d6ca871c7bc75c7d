import { toSvgPath } from 'lean-qr/extras/svg'
import { generate } from 'lean-qr/nano'
import type { DeviceLinkRow } from '../../core/store/rows.js'
import { Button } from '../ui/controls.js'
import { duration } from '../ui/format.js'
import { runAction } from '../ui/screen.js'
import { copy } from '../world/copy.js'
import type { RowMaps } from '../world/followed-world.js'
import { page } from '../world/page-state.js'

/** The device links of the world. */
export function Devices() {
  const links = [...page.shown.value.tables.deviceLinks.values()].reverse()
  return (
    <section class="pane" aria-labelledby="devices">
      <header class="bar">
        <h2 id="devices">Devices</h2>
      </header>
      {links.length === 0 ? (
        <p class="empty">
          <span>
            No device links yet. A client gets one by <code>POST /cloud/devices/links</code>, and watches it until you
            complete it here.
          </span>
        </p>
      ) : (
        <ul class="devices body">
          {links.map(link => (
            <DeviceLink key={link.device_link_token} link={link} />
          ))}
        </ul>
      )}
    </section>
  )
}

function DeviceLink({ link }: { readonly link: DeviceLinkRow }) {
  const { tables } = page.shown.value
  const token = link.device_link_token
  // A phone cannot open an address of this machine.
  const url = `${page.live.about.value?.public_url ?? page.api.url}/devices/link/${encodeURIComponent(token)}`
  const complete = (game: string) =>
    runAction(async () => {
      await page.api.call('POST /device-links/{token}/complete', { params: { token }, body: { game } })
      return 'The device has its token.'
    })
  const expire = () =>
    runAction(async () => {
      await page.api.call('POST /device-links/{token}/expire', { params: { token } })
      return 'The link has expired.'
    })
  const isPending = isPendingAt(link, page.time.value)
  return (
    <li>
      {/* No server has the page of a link in a copy. */}
      {isPending && !copy && <QrCode text={url} />}
      <div>
        <p>
          <code>{token}</code>
        </p>
        <p>{stateWords(link, page.time.value)}</p>
        {isPending && (
          <fieldset class="actions" disabled={page.isReadOnly.value}>
            {!copy && <a href={url}>Open its page</a>}
            {[...tables.games.values()].map(({ game_id, display_name }) => (
              <button key={game_id} type="button" dir="auto" onClick={() => complete(game_id)}>
                Complete as {display_name}
              </button>
            ))}
            <Button onClick={expire}>Expire now</Button>
          </fieldset>
        )}
      </div>
    </li>
  )
}

/** Counts the links that wait to be completed. */
export function countPending({ deviceLinks }: RowMaps, now: number): number {
  return [...deviceLinks.values()].filter(link => isPendingAt(link, now)).length
}

function isPendingAt(link: DeviceLinkRow, now: number): boolean {
  return link.status === 'pending' && !isExpiredAt(link, now)
}

function isExpiredAt({ expires_at }: DeviceLinkRow, now: number): boolean {
  return expires_at !== undefined && expires_at <= now
}

function stateWords(link: DeviceLinkRow, now: number): string {
  if (isExpiredAt(link, now)) return 'expired'
  if (link.status === 'complete') return 'complete: the device has a cloud token'
  const expiry = link.expires_at === undefined ? '' : `, expires in ${duration(link.expires_at - now)}`
  const completion = link.completes ? `, completes by itself in ${duration(Math.max(0, link.completes.at - now))}` : ''
  return `pending${completion}${expiry}`
}

/** A QR code as an SVG path. */
function QrCode({ text }: { readonly text: string }) {
  let code: ReturnType<typeof generate>
  try {
    code = generate(text)
  } catch {
    // No QR code is that long.
    return null
  }
  const { size } = code
  return (
    <svg class="qr" viewBox={`-2 -2 ${size + 4} ${size + 4}`} role="img" aria-label="QR code of the page of the link">
      <path d={toSvgPath(code)} />
    </svg>
  )
}
