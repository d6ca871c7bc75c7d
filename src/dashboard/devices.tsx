import qrcode from 'qrcode-generator'
import type { DeviceLinkRow } from '../store/rows.js'
import { duration } from './format.js'
import { page } from './page-state.js'

/** The device links of the world. */
export function Devices() {
  const links = [...page.shown.value.tables.deviceLinks.values()].reverse()
  if (links.length === 0)
    return (
      <p>
        No device waits. A client that calls <code>POST /cloud/devices/links</code> gets a link, and watches it until
        you complete it here.
      </p>
    )
  return (
    <ul class="devices">
      {links.map(link => (
        <DeviceLink key={link.device_link_token} link={link} />
      ))}
    </ul>
  )
}

function DeviceLink({ link }: { readonly link: DeviceLinkRow }) {
  const { tables } = page.shown.value
  const token = link.device_link_token
  // A phone cannot open an address of this machine.
  const url = `${page.live.about.value?.public_url ?? page.api.url}/devices/link/${encodeURIComponent(token)}`
  const complete = (game: string) =>
    page.run(async () => {
      await page.api.call('POST /device-links/{token}/complete', { params: { token }, body: { game } })
      return 'The device has its token.'
    })
  const expire = () =>
    page.run(async () => {
      await page.api.call('POST /device-links/{token}/expire', { params: { token } })
      return 'The link has expired.'
    })
  const isPending = isPendingAt(link, page.time.value)
  return (
    <li>
      {isPending && <QrCode text={url} />}
      <div>
        <p>
          <code>{token}</code>
        </p>
        <p>{stateWords(link, page.time.value)}</p>
        {isPending && (
          <fieldset class="actions" disabled={page.isReadOnly.value}>
            <a href={url}>Open its page</a>
            {[...tables.games.values()].map(({ game_id, display_name }) => (
              <button key={game_id} type="button" dir="auto" onClick={() => complete(game_id)}>
                Complete as {display_name}
              </button>
            ))}
            <button type="button" onClick={expire}>
              Expire now
            </button>
          </fieldset>
        )}
      </div>
    </li>
  )
}

/** Tells whether a link waits to be completed. */
export function isPendingAt(link: DeviceLinkRow, now: number): boolean {
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
  const code = qrcode(0, 'L')
  code.addData(text)
  try {
    code.make()
  } catch {
    // No QR code is that long.
    return null
  }
  const size = code.getModuleCount()
  const squares: string[] = []
  for (let row = 0; row < size; row++)
    for (let column = 0; column < size; column++)
      if (code.isDark(row, column)) squares.push(`M${column} ${row}h1v1h-1z`)
  return (
    <svg class="qr" viewBox={`-2 -2 ${size + 4} ${size + 4}`} role="img" aria-label="QR code of the page of the link">
      <path d={squares.join('')} />
    </svg>
  )
}
