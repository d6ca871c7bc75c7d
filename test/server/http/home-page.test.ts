import { describe, expect, it } from 'vitest'
import { createMockmaker } from '../../../src/index.js'
import { page } from './pages.js'

describe('the home page', () => {
  it('is the dashboard', () => {
    expect(page('/').body).toContain('<div id="page"></div>')
  })
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
