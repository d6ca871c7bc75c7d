import { counted, escapedLine } from './messages.js'

// The report of checks of a client or of a server: as lines for people, and as JUnit XML for CI.

/** A check, and what it found. It is plain JSON. */
export interface CheckResult {
  readonly name: string
  readonly passed: boolean
  /** Says what was seen, as a sentence without its end: `it asked 412 times in 5 s, and 10 are allowed`. */
  readonly sentence: string
  /** The lines that prove it, the oldest first: requests, or output. */
  readonly evidence: readonly string[]
  /** The parts that the check could not judge, each as a sentence without its end. Absent if it could judge all. */
  readonly notes?: readonly string[]
  /** True for a failure that is allowed. Absent otherwise. */
  readonly expected?: true
  /** The time that the check took, in real ms. */
  readonly ms: number
}

/** Tells whether the checks pass as a whole. */
export function allPassed(checks: readonly CheckResult[]): boolean {
  return checks.every(check => check.passed || check.expected)
}

/** Writes a check as lines: its mark, name and sentence, then indented what proves it. `mark` styles the mark. */
export function checkLines(check: CheckResult, mark: (text: string, check: CheckResult) => string = String): string[] {
  const { name, passed, sentence, evidence, notes = [], expected } = check
  const allowed = expected ? ' (expected)' : ''
  const proof = [...(passed ? [] : evidence), ...notes.map(note => `not judged: ${note}`)]
  return [`${mark(passed ? '✓' : '✗', check)} ${name}${allowed}: ${sentence}`, ...proof.map(line => `    ${line}`)]
}

/** Counts the checks: `10 passed, 1 failed as expected, 1 failed`. */
export function countsText(checks: readonly CheckResult[]): string {
  const count = (isCounted: (check: CheckResult) => boolean, what: string) => {
    const { length } = checks.filter(isCounted)
    return length === 0 ? [] : [`${length} ${what}`]
  }
  const parts = [
    ...count(check => check.passed, 'passed'),
    ...count(check => !check.passed && check.expected === true, 'failed as expected'),
    ...count(check => !check.passed && !check.expected, 'failed'),
  ]
  return parts.join(', ') || counted(0, 'check', 'checks')
}

/** Writes the checks as a JUnit document with one suite. A failure that is allowed counts as skipped. */
export function junitOf(suite: string, checks: readonly CheckResult[]): string {
  const skipped = checks.filter(check => !check.passed && check.expected).length
  const failures = checks.filter(check => !check.passed && !check.expected).length
  const ms = checks.reduce((sum, check) => sum + check.ms, 0)
  const counts = `tests="${checks.length}" failures="${failures}" errors="0" skipped="${skipped}" time="${seconds(ms)}"`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="mockmaker" ${counts}>`,
    `  <testsuite name="${xmlText(suite)}" ${counts}>`,
    ...checks.flatMap(check => testCase(suite, check)),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

function testCase(suite: string, check: CheckResult): string[] {
  const { name, passed, sentence, evidence, notes = [], expected, ms } = check
  const head = `<testcase classname="${xmlText(suite)}" name="${xmlText(name)}" time="${seconds(ms)}"`
  if (passed) return [`    ${head}/>`]
  const proof = [...evidence, ...notes.map(note => `not judged: ${note}`)].map(xmlText)
  const message = `message="${xmlText(sentence)}"`
  const result = expected ? `<skipped ${message}/>` : `<failure ${message}>${proof.join('\n')}</failure>`
  return [`    ${head}>`, `      ${result}`, '    </testcase>']
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(3)
}

/** Halves of surrogate pairs, and the two other characters that XML 1.0 does not allow, not even escaped. */
const notXml = /[\ud800-\udfff\ufffe\uffff]/gu

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Writes a text as one line of XML. A character that XML does not allow becomes `\ufffd`. */
function xmlText(text: string): string {
  return escapedLine(text)
    .replaceAll(notXml, '\ufffd')
    .replaceAll(/[&<>"]/g, character => entities[character] ?? character)
}
