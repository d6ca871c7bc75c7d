import { describe, expect, it } from 'vitest'
import type { FlagsOf } from '../../src/cli/flags.js'
import type { createConsole } from '../../src/cli/output.js'
import { printQrCode, shareUrl, sharingFlags } from '../../src/cli/share.js'
import { runHere } from '../support/run-here.js'

const token = 'control.mock.0123456789'
const url = 'http://127.0.0.1:4100'

describe('the flags of --share', () => {
  const given = { port: 1 } as FlagsOf<'serve'> // the others do not matter

  it('listen on all interfaces, with a token that the command makes', () => {
    expect(sharingFlags({ ...given, share: true })).toMatchObject({ host: '0.0.0.0', controlToken: 'auto' })
  })

  it('keep a host and a token of the user', () => {
    const own = { ...given, share: true, host: '192.168.1.5', controlToken: 'a-token-of-the-user' }

    expect(sharingFlags(own)).toEqual(own)
  })

  it('change nothing without it', () => {
    expect(sharingFlags(given)).toEqual(given)
  })

  it.for([
    [['--share', '--no-control'], '--share opens the page, which needs the control API: remove --no-control'],
    [['--share', '--host', '127.0.0.1'], '--share is for other machines, and --host 127.0.0.1 lets only this one in'],
    [['--share', '--host', '[::1]'], '--share is for other machines, and --host ::1 lets only this one in'],
    [['--share', '--host', 'localhost'], '--share is for other machines, and --host localhost lets only this one in'],
  ] as const)('are refused if they contradict others: %j', async ([args, message]) => {
    const { code, stdout, stderr } = await runHere(args)

    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining(message) })
  })
})

describe('the link of --share', () => {
  it.for([
    [
      'the public URL',
      { publicUrl: 'https://mock.example', networkUrls: ['http://10.0.0.5:4100'] },
      'https://mock.example',
    ],
    [
      'the first network URL',
      { networkUrls: ['http://10.0.0.5:4100', 'http://10.0.0.6:4100'] },
      'http://10.0.0.5:4100',
    ],
    ['the URL of one address', { networkUrls: [] }, url],
  ] as const)('leads to %s, with the token in the fragment', ([, addresses, base]) => {
    expect(shareUrl({ url, publicUrl: undefined, ...addresses, token })).toBe(`${base}/#token=${token}`)
  })

  it('encodes the characters of a token that mean something in a fragment', () => {
    const link = shareUrl({ url, publicUrl: undefined, networkUrls: [], token: 'a+b/c=d~e.f_g-h0' })

    expect(new URLSearchParams(new URL(link).hash.slice(1)).get('token')).toBe('a+b/c=d~e.f_g-h0')
  })
})

describe('the QR code of --share', () => {
  const linesOf = (hasColours: boolean) => {
    const lines: string[] = []
    const print = (line: string | (() => string)) => void lines.push(typeof line === 'string' ? line : line())
    const style = (format: unknown, text: string) => (hasColours ? `[${[format].flat().join('+')}]${text}` : text)
    printQrCode(`http://192.168.1.20:4100/#token=control.mock.${'x'.repeat(32)}`, { print, style } as ReturnType<
      typeof createConsole
    >)
    return lines.filter(line => line !== '')
  }

  it('fits a terminal of 80 columns and 24 lines', () => {
    const lines = linesOf(false)

    expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(80)
    expect(lines.length).toBeLessThanOrEqual(24)
  })

  it('is dark on light, in colours and without', () => {
    const [plain, coloured] = [linesOf(false), linesOf(true)]

    // The corner of the quiet zone is light: ink without colours, and ground with them.
    expect(plain[0]).toMatch(/^ {2}█+$/)
    expect(coloured[0]).toMatch(/^ {2}\[black\+bgWhiteBright\] +$/)
    // The finder pattern in the upper left corner is 7 modules of dark.
    expect(plain[1]?.slice(4, 11)).toBe(' ▄▄▄▄▄ ')
    expect(coloured[1]?.slice(-((plain[1]?.length ?? 0) - 4)).slice(0, 7)).toBe('█▀▀▀▀▀█')
  })
})
