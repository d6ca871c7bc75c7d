import { fc, it as property } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { capsuleHtml, capsuleJson } from '../../../src/server/files/capsule-html.js'

const json = JSON.stringify({ title: 'Reef Rumble', past: { format: 1 } })
const html = await capsuleHtml(json)

describe('the file of a capsule', () => {
  property.prop([fc.json()])('gives back its JSON, whatever is in it', async text => {
    expect(capsuleJson(await capsuleHtml(text))).toBe(text)
  })

  it('has nothing of the world as text', () => {
    expect(html).not.toContain('Reef')
  })

  it('is the same page for each world', async () => {
    const other = await capsuleHtml('{"title":"</script><script>parent.hacked = true</script>"}')
    const page = (text: string) => text.replace(/(id="mockmaker-world">)[\w+/=]*/, '$1')

    expect(page(other)).toBe(page(html))
  })

  it.each([
    [
      'is damaged',
      html.replace(/(id="mockmaker-world">.{8})..../, '$1AAAA'),
      'bug.html is damaged: its world cannot be inflated. Get the file again',
    ],
    [
      'is another page',
      '<!-- saved -->\n<html><body>Hello</body></html>',
      'bug.html is a page, but not one of a capsule: save one with mockmaker export --capsule',
    ],
  ])('says so if it %s', (_, text, message) => {
    expect(() => capsuleJson(text, { file: 'bug.html' })).toThrow(message)
  })

  property.prop([fc.integer({ min: 100, max: html.length - 10 })])('says so if it is cut, wherever', at => {
    expect(() => capsuleJson(html.slice(0, at), { file: 'bug.html' })).toThrow(
      'bug.html is not whole: its end is missing. Get the file again',
    )
  })

  it('is not inflated beyond a limit', async () => {
    const large = await capsuleHtml(JSON.stringify('0'.repeat(5_000_000)))

    expect(() => capsuleJson(large, { file: 'bug.html', bytes: 1_000_000 })).toThrow(
      'bug.html is too large: its world has more than 1.0 MB. Save a shorter past with --last, such as --last 10m',
    )
  })

  it.each(['', '{"title":"Two"}', 'title: <html>', '# <!doctype html>\ntitle: Two'])('is not a scenario: %s', text => {
    expect(capsuleJson(text)).toBeUndefined()
  })
})
