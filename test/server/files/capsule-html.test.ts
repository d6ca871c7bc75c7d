import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fc, it as property } from '@fast-check/vitest'
import { describe, expect, inject, it } from 'vitest'
import { runAtOnce } from '../../../src/core/lib/steps.js'
import { capsuleHtml, capsuleJson } from '../../../src/server/files/capsule-html.js'
import { loadScenario, parseScenarioText } from '../../../src/server/files/scenario-file.js'
import { folder } from '../../support/command.js'

const json = JSON.stringify({ title: 'Reef Rumble', past: { format: 1 } })
const html = await capsuleHtml(json)

describe('the file of a capsule', () => {
  property.prop([fc.json()], { numRuns: 3 * inject('runs') })('gives back its JSON, whatever is in it', async text => {
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

  it.each([
    ['two capsules', html + html, 'bug.html has two capsules: save each of them in a file of its own'],
    ['nothing', '', 'bug.html does not begin as a page: get the file again'],
    ['a mail around it', `Hello,\n${html}`, 'bug.html does not begin as a page: get the file again'],
  ])('says so if it has %s', (_, text, message) => {
    expect(() => capsuleJson(text, { file: 'bug.html' })).toThrow(message)
  })

  it.each([
    ['YAML', 'title: Two'],
    ['no object', 'null'],
    ['nothing', ''],
    ['levels without end', '['.repeat(1_000_000), 'bug.html is damaged: its world nests deeper than 128 levels'],
  ])('is refused at once if its world is %s', async (_, world, message = 'its world is no object of JSON') => {
    const damaged = await capsuleHtml(world)

    expect(() => runAtOnce(parseScenarioText(damaged, { file: 'bug.html' }))).toThrow(message)
  })

  it('runs no command, even without a past', async () => {
    const path = join(await folder(), 'bug.html')
    await writeFile(path, await capsuleHtml('{"servers":{"command":"rm -r ."}}'))

    await expect(loadScenario(path, { commands: 'allowed' })).rejects.toThrow(
      'bug.html: servers.command starts a program',
    )
  })

  it('can be saved as UTF-16, as Windows PowerShell does', async () => {
    const path = join(await folder(), 'bug.html')
    await writeFile(path, `\uFEFF${await capsuleHtml('{"title":"Größe"}')}`, 'utf16le')

    expect((await loadScenario(path)).scenario).toHaveProperty('content.title', 'Größe')
  })

  it('has a limit of its values if a client sends it', async () => {
    const large = await capsuleHtml(`{"lobbies":[${'{},'.repeat(1_000_000)}{}]}`)
    const limits = { values: 1_000, yamlCharacters: 1_000 }

    expect(() => runAtOnce(parseScenarioText(large, { file: 'bug.html', limits }))).toThrow(
      'bug.html is too large: its world has more than 2000000 objects, arrays and commas',
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
