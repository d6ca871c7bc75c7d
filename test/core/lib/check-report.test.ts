import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { allPassed, type CheckResult, checkLines, countsText, junitOf } from '../../../src/core/lib/check-report.js'
import { escapedLine } from '../../../src/core/lib/messages.js'
import { anyCharacter } from '../../support/any-character.js'

const passed: CheckResult = {
  name: 'gap',
  passed: true,
  sentence: 'it printed the token',
  evidence: ['GET /'],
  ms: 1200,
}
const failed: CheckResult = {
  name: 'retry',
  passed: false,
  sentence: 'it gave up',
  evidence: ['GET / → 503', 'exit 1'],
  notes: ['it prints no token'],
  ms: 300,
}
const expected: CheckResult = { ...failed, name: 'timeout', expected: true }

describe('the report of checks', () => {
  it('shows what proves a failure, and what was not judged', () => {
    expect([passed, failed, expected].flatMap(check => checkLines(check))).toEqual([
      '✓ gap: it printed the token',
      '✗ retry: it gave up',
      '    GET / → 503',
      '    exit 1',
      '    not judged: it prints no token',
      '✗ timeout (expected): it gave up',
      '    GET / → 503',
      '    exit 1',
      '    not judged: it prints no token',
    ])
  })

  it('shows what was not judged of a check that passed', () => {
    expect(checkLines({ ...passed, notes: ['it prints no token'] })).toEqual([
      '✓ gap: it printed the token',
      '    not judged: it prints no token',
    ])
  })

  it('passes with failures that are expected, and counts all', () => {
    expect([allPassed([passed, expected]), allPassed([passed, failed])]).toEqual([true, false])
    expect(countsText([passed, passed, failed, expected])).toBe('2 passed, 1 failed as expected, 1 failed')
    expect(countsText([])).toBe('0 checks')
  })

  it('is a JUnit document', () => {
    expect(junitOf('lab', [passed, failed, expected])).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="mockmaker" tests="3" failures="1" errors="0" skipped="1" time="1.800">
  <testsuite name="lab" tests="3" failures="1" errors="0" skipped="1" time="1.800">
    <testcase classname="lab" name="gap" time="1.200"/>
    <testcase classname="lab" name="retry" time="0.300">
      <failure message="it gave up">GET / → 503
exit 1
not judged: it prints no token</failure>
    </testcase>
    <testcase classname="lab" name="timeout" time="0.300">
      <skipped message="it gave up"/>
    </testcase>
  </testsuite>
</testsuites>
`)
  })

  const anyText = fc.string({
    unit: fc.oneof(
      fc.constantFrom('&', '<', '>', '"', '&amp;', ']]>', '\ud800', '\udfff', '\uffff'),
      fc.string({ unit: anyCharacter, maxLength: 1 }),
    ),
  })

  test.prop([anyText, fc.array(anyText)])(
    'gives a reader of JUnit its texts as lines, whatever they are',
    (text, evidence) => {
      const xml = junitOf(text, [{ ...failed, name: text, sentence: text, evidence }])

      const [, suite, name, message, body = ''] =
        /<testcase classname="([^"<]*)" name="([^"<]*)" .*\n.*<failure message="([^"<]*)">([^<]*)<\/failure>/.exec(
          xml,
        ) ?? []
      const line = escapedLine(text).replaceAll(/[\ud800-\udfff\ufffe\uffff]/gu, '\ufffd')
      expect([suite, name, message].map(decoded)).toEqual([line, line, line])
      expect(body.split('\n')).toHaveLength(evidence.length + 1)
      // Those of XML 1.0, without the controls of C1.
      expect(xml).toMatch(/^[\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u)
    },
  )
})

/** Decodes a text of XML. `undefined` if it has a character that must be escaped. */
function decoded(text = ''): string | undefined {
  const characters = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' } as Readonly<Record<string, string>>
  if (/[<>"]|&(?!(amp|lt|gt|quot);)/.test(text)) return undefined
  return text.replaceAll(/&\w+;/g, entity => characters[entity] ?? '')
}
