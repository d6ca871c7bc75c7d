import { networkInterfaces } from 'node:os'
import { describe, expect } from 'vitest'
import { printQrCode } from '../../src/cli/share.js'
import type { Join } from '../../src/core/contract/lobbies.js'
import { lineLike, serveOnTerminal } from '../support/command.js'
import { it } from '../support/dashboard-page.js'
import { json, post, request, sendTo } from '../support/http.js'

/** An address of this machine that is not loopback, if it has one. */
function networkAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap(infos => infos ?? [])
  return addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1'
}

/** The lines of a QR code without colours. */
function qrCodeOf(link: string): readonly string[] {
  const lines: string[] = []
  printQrCode(link, { print: line => void lines.push(String(line)), style: (_, text) => text })
  return lines.filter(line => line !== '')
}

describe('mockmaker --share', () => {
  it('opens the mock to other machines, and its control to those who have the link', async ({ browser }) => {
    const command = await serveOnTerminal(['--share'])
    const link = (await lineLike(command, { like: /^ {2}share / })).replace(/^ {2}share +/, '')
    const { origin, hash, hostname } = new URL(link)
    const token = new URLSearchParams(hash.slice(1)).get('token') ?? ''
    await lineLike(command, { like: / players in / })

    const world = request('GET', '/__mock/world')
    const calls = await Promise.all(['', token, `${token}x`].map(each => sendTo(origin, bearing(world, each))))
    const page = await browser.newPage()
    await page.goto(link)
    await page.locator('[data-connection=live]').waitFor()
    const played = await sendTo(origin, request('GET', '/matchmaker/lobbies/list'))
    const seat = json(await sendTo(origin, post('/matchmaker/lobbies/find', { game_modes: ['duel'] }))) as Join
    await page.locator('b.operation', { hasText: 'lobbies.list' }).first().waitFor()

    expect(hostname).toBe(networkAddress())
    expect(calls.map(({ status }) => status)).toEqual([401, 200, 401])
    expect([played.status, seat.ports.default?.hostname]).toEqual([200, hostname])
    expect(page.url()).toBe(`${origin}/`)
    expect(command.lines()).toEqual(expect.arrayContaining([...qrCodeOf(link)]))
    // Nothing but the link has the token, whatever was asked.
    expect(command.output().split(token)).toHaveLength(2)
  })
})

const bearing = <Sent extends { readonly headers: object }>(sent: Sent, token: string) =>
  token === '' ? sent : { ...sent, headers: { authorization: `Bearer ${token}` } }
