import { generate } from 'lean-qr/nano'
import { UsageError } from '../core/lib/messages.js'
import { hostInUrl } from '../core/lib/url.js'
import { isLoopbackHost } from '../core/pipeline/origin.js'
import type { FlagsOf } from './flags.js'
import type { Console } from './output.js'

/** Returns the flags of a mock that `--share` opens to the network, with a control token. Throws `UsageError`. */
export function sharingFlags(flags: FlagsOf<'serve'>): FlagsOf<'serve'> {
  if (!flags.share) return flags
  const { host = '0.0.0.0', controlToken = 'auto', control } = flags
  if (control === false)
    throw new UsageError(
      '--share opens the page, which needs the control API: remove --no-control, or use --host 0.0.0.0 instead',
    )
  if (isLoopbackHost(hostInUrl(host)))
    throw new UsageError(
      `--share is for other machines, and --host ${host} lets only this one in: remove one of the two`,
    )
  return { ...flags, host, controlToken }
}

interface SharedAddresses {
  readonly url: string
  readonly publicUrl: string | undefined
  readonly networkUrls: readonly string[]
  readonly token: string
}

/** Returns the URL that opens the page of a shared mock. The token is in the fragment, which browsers send to nobody. */
export function shareUrl({ url, publicUrl, networkUrls, token }: SharedAddresses): string {
  return `${publicUrl ?? networkUrls[0] ?? url}/#token=${encodeURIComponent(token)}`
}

const quietZone = 2

/** Prints a QR code, two rows of modules in a line. */
export function printQrCode(text: string, { print, style }: Pick<Console, 'print' | 'style'>): void {
  const code = generate(text)
  // Without colours, most terminals show light text on a dark ground.
  const hasColours = style('black', ' ') !== ' '
  const isInk = (row: number, column: number) => code.get(column, row) === hasColours
  print('')
  for (let row = -quietZone; row < code.size + quietZone; row += 2) {
    let line = ''
    for (let column = -quietZone; column < code.size + quietZone; column++)
      line += blocks[Number(isInk(row, column)) * 2 + Number(isInk(row + 1, column))]
    print(`  ${style(['black', 'bgWhiteBright'], line)}`)
  }
  print('')
}

/** The characters for two modules, one above the other: none, the lower one, the upper one, both. */
const blocks = [' ', '▄', '▀', '█'] as const
