import { fc, it as property } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { html } from '../../../src/server/http/device-link-page.js'
import { anyCharacter } from '../../support/any-character.js'

describe('html', () => {
  it('escapes interpolated texts, for elements and for attributes', () => {
    const text = `<script>"&'`

    expect(html`<p title="${text}">${text}</p>`.html).toBe(
      '<p title="&lt;script&gt;&quot;&amp;&#39;">&lt;script&gt;&quot;&amp;&#39;</p>',
    )
  })

  it('does not escape HTML again, by itself or in a list', () => {
    expect(html`<ul>${[html`<li>${'1'}</li>`, html`<li>${'<'}</li>`]}</ul>${html`<hr>`}`.html).toBe(
      '<ul><li>1</li><li>&lt;</li></ul><hr>',
    )
  })

  property.prop([fc.string({ unit: anyCharacter })])('never lets a text end its place', text => {
    expect(html`${text}`.html).not.toMatch(/[<>"']/)
  })
})
