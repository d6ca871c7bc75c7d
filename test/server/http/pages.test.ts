import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { openapi } from '../../../src/core/contract/index.js'
import { createMockmaker } from '../../../src/index.js'
import { version } from '../../../src/version.js'
import { uuid } from '../../support/http.js'
import { ask, page, url } from './pages.js'

const link = '/devices/link/device.mock.sofa'
const json = { accept: 'application/json' }

describe('the pages', () => {
  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('do not replace the answer of the service to %s', method => {
    expect(['/', '/openapi.json', link].map(path => ask(path, { method }))).toEqual([undefined, undefined, undefined])
  })

  it.each([
    '/matchmaker/lobbies/list',
    '/cloud/devices/links',
    '/openapi',
    '/openapi.json/',
    '/devices/link',
    '/devices/link/',
    '/devices/link/a/b',
    '//',
    '',
  ])('do not replace the answer of the service to "%s"', path => {
    expect(ask(path)).toBeUndefined()
  })

  it.each(['/', '/openapi.json', link])('answer HEAD of %s like GET, without the body', path => {
    const mock = createMockmaker()

    const [head, get] = [page(path, { mock, method: 'HEAD' }), page(path, { mock })]

    const id = { 'rvt-ray-id': expect.stringMatching(uuid) }
    expect(head).toEqual({ ...get, headers: { ...get.headers, ...id }, body: '' })
  })

  it.each([
    ['/', {}],
    ['/', json],
    ['/openapi.json', {}],
    [link, {}],
    ['/devices/link/nobody', {}],
  ])('answer %s %j with the headers of every answer', (path, headers) => {
    expect(page(path, { headers }).headers).toMatchObject({
      'cache-control': 'no-store',
      vary: expect.stringMatching(/^Origin(, |$)/),
      'x-content-type-options': 'nosniff',
      'rvt-ray-id': expect.stringMatching(uuid),
    })
  })

  it('have a ray id each, the same in every run', () => {
    const rays = () => {
      const mock = createMockmaker()
      return [page('/', { mock }), page('/', { mock })].map(({ headers }) => headers['rvt-ray-id'])
    }

    const [first, second] = rays()

    expect(first).not.toBe(second)
    expect(rays()).toEqual([first, second])
  })

  it('do not change the random state of the world', async () => {
    const [seen, unseen] = [createMockmaker({ scenario: {} }), createMockmaker({ scenario: {} })]

    page('/', { mock: seen })

    const [one, other] = await Promise.all([seen, unseen].map(mock => mock.world.deviceLinks.create({})))
    expect(one?.device_link_token).toBe(other?.device_link_token)
  })
})

describe.each(['/', link, '/devices/link/nobody'])('the HTML of %s', path => {
  const hashed = (text: string | undefined) =>
    `'sha256-${createHash('sha256')
      .update(text ?? '')
      .digest('base64')}'`

  it('is HTML, in UTF-8', () => {
    const { headers, body } = page(path)

    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(body).toMatch(/^<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">/)
  })

  it('allows only its own style and script, by their hashes', () => {
    const { headers, body } = page(path)

    const policy = headers['content-security-policy']
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("connect-src 'self'")
    expect(policy).toContain("require-trusted-types-for 'script'; trusted-types 'none'")
    expect(policy).toContain(`style-src ${hashed(/<style>([\s\S]*?)<\/style>/.exec(body)?.[1])};`)
    const scripts = [...body.matchAll(/<script>([\s\S]*?)<\/script>/g)]
    expect(scripts).toHaveLength(1)
    expect(policy).toContain(`script-src ${hashed(scripts[0]?.[1])};`)
  })

  it('loads nothing, has no style or handler in an attribute, and sends no referrer', () => {
    const { headers, body } = page(path)

    expect(headers['referrer-policy']).toBe('no-referrer')
    expect(body.replace(/<script>[\s\S]*<\/script>/, '')).not.toMatch(/ (src|style|on\w+)=|@import|url\(/)
    expect([...body.matchAll(/<link [^>]*href="([^"]*)"/g)].map(([, href]) => href?.slice(0, 5))).toEqual(['data:'])
  })

  it('is answered to pages of other origins, which may not read it', () => {
    const { status, headers } = page(path, { headers: { origin: 'http://localhost:3000' } })

    expect(status).toBe(page(path).status)
    expect(Object.keys(headers).filter(name => name.startsWith('access-control'))).toEqual([])
  })
})

describe('GET /openapi.json', () => {
  it('is the document of this server', () => {
    const { status, headers, body } = page('/openapi.json')

    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'application/json' })
    expect(JSON.parse(body)).toEqual(JSON.parse(JSON.stringify(openapi({ serverUrl: url, version }))))
  })

  it.each([
    ['http://localhost:3000', {}],
    ['https://tanks.example', {}],
    ['https://docs.example', { corsOrigins: ['https://docs.example'] }],
  ])('may be read by pages of %s', (origin, context) => {
    const { headers } = page('/openapi.json', { headers: { origin }, ...context })

    expect(headers['access-control-allow-origin']).toBe(origin)
  })

  it.each(['https://docs.example', 'null'])('may not be read by pages of %s', origin => {
    const { headers } = page('/openapi.json', { headers: { origin } })

    expect(headers).not.toHaveProperty('access-control-allow-origin')
  })
})

describe('GET / as JSON', () => {
  it('has name, version, URL, scenario and tokens', () => {
    const mock = createMockmaker({ scenario: { title: 'Friday <night>' } })

    const { status, headers, body } = page('/', { mock, headers: json })

    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'application/json' })
    expect(JSON.parse(body)).toEqual({
      name: 'mockmaker',
      version,
      scenario: 'Friday <night>',
      url,
      tokens: mock.tokens,
    })
  })

  it('may not be read by pages of other origins, because it holds tokens', () => {
    const { headers } = page('/', { headers: { ...json, origin: 'http://localhost:3000' } })

    expect(headers).not.toHaveProperty('access-control-allow-origin')
  })
})
