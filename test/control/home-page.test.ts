import { describe, expect, it } from 'vitest'
import { createMockmaker } from '../../src/index.js'
import { page } from '../support/pages.js'

const dashboard = {
  html: '<!doctype html><title>The dashboard</title>',
  styleHash: 'sha256-style',
  scriptHash: 'sha256-script',
}

describe('the home page', () => {
  it('is the dashboard, with a policy that allows its style and its script', () => {
    const { body, headers } = page('/', { dashboard: () => dashboard })

    expect(body).toBe(dashboard.html)
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-style'; script-src 'sha256-script'; connect-src 'self';/,
      ),
    })
  })

  it('does not read the dashboard for a client that wants JSON', () => {
    const read = () => {
      throw new Error('the dashboard was read')
    }

    const { headers } = page('/', { dashboard: read, headers: { accept: 'application/json' } })

    expect(headers['content-type']).toBe('application/json')
  })
})

describe('the home page without a dashboard', () => {
  it('shows the URL and the title, and says why there is no dashboard', () => {
    const { body } = page('/', { mock: createMockmaker({ scenario: { title: 'Friday night' } }) })

    expect(body).toContain('<h1 dir="auto">Friday night</h1>')
    expect(body).toContain('<title>Friday night – mockmaker</title>')
    expect(body).toContain('http://127.0.0.1:4100</p>')
    expect(body).toContain('It needs the control API')
    expect(body).toContain('<a href="openapi.json">')
  })

  it('escapes the title', () => {
    const evil = `"'><script>alert(1)</script>&amp;`

    const { body } = page('/', { mock: createMockmaker({ scenario: { title: evil } }) })

    expect(body).not.toContain('<script')
    expect(body).toContain('<h1 dir="auto">&quot;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;</h1>')
  })

  it('escapes the URL, which may come from a Host header', () => {
    const { body } = page('/', { url: 'http://<img src=x>' })

    expect(body).not.toContain('<img')
  })
})
