import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createMockmaker } from '../../../src/index.js'
import { ask, page } from './pages.js'

describe('the home page', () => {
  it('is the dashboard', () => {
    expect(page('/').body).toContain('<div id="page"></div>')
  })

  it.each(['gzip', 'deflate, GZIP;q=0.5', '*', 'br, *;q=0.1'])('is compressed for Accept-Encoding: %s', encodings => {
    const headers = { 'accept-encoding': encodings }
    const [compressed, head] = [ask('/', { headers }), ask('/', { headers, method: 'HEAD' })]

    expect(gunzipSync(compressed?.body ?? '').toString()).toBe(page('/').body)
    const expected = {
      'content-encoding': 'gzip',
      'content-length': `${compressed?.body.length}`,
      vary: 'Origin, Accept, Accept-Encoding',
    }
    expect(compressed?.headers).toMatchObject(expected)
    expect(head?.headers).toMatchObject(expected)
    expect(head?.body).toHaveLength(0)
  })

  it.each([undefined, '', 'identity', 'br', 'gzip;q=0', '*, gzip;q=0', '*;q=0'])(
    'is plain for Accept-Encoding: %s',
    encodings => {
      const answer = ask('/', { headers: encodings === undefined ? {} : { 'accept-encoding': encodings } })

      expect(answer?.headers['content-encoding']).toBeUndefined()
      expect(answer?.headers).toMatchObject({
        'content-length': `${answer?.body.length}`,
        vary: 'Origin, Accept, Accept-Encoding',
      })
    },
  )
})

describe('the home page without a dashboard', () => {
  it('shows the title and the URL, and says why there is no dashboard', () => {
    const title = '<b>Friday</b> night'

    const { body, headers } = page('/', { mock: createMockmaker({ scenario: { title } }), hasDashboard: false })

    expect(headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
    })
    expect(body).toMatch(/^<b>Friday<\/b> night\nhttp:\/\/127\.0\.0\.1:4100\n/)
    expect(body).toContain('It needs the control API')
    expect(body).toContain('http://127.0.0.1:4100/openapi.json')
  })
})
