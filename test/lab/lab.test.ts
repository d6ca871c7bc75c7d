import { describe, expect, it } from 'vitest'
import { checkNames } from '../../src/lab/checks.js'
import { checkFunctionClient } from '../../src/lab/index.js'
import type { LabOptions } from '../../src/lab/lab.js'
import { runLab } from '../../src/lab/laboratory.js'
import { watchClient } from './watch-clients.js'

const right = watchClient()
const givesUp = async () => {
  throw new Error('no luck')
}
/** The fastest check. */
const only = ['gap'] as const

describe('lab', () => {
  it('has no grade with only', async () => {
    const results: string[] = []

    const report = await checkFunctionClient(right, { only, onResult: ({ name }) => results.push(name) })

    expect(report).toEqual({
      passed: true,
      checks: [
        {
          name: 'gap',
          passed: true,
          sentence: 'it printed the token of a link that was completed between two polls',
          evidence: [],
          ms: expect.any(Number),
        },
      ],
    })
    expect(results).toEqual(['gap'])
  })

  it('ends the clients of all cases before it reports that one could not start', async () => {
    const running = new Set<string>()
    let starts = 0
    const report = runLab(
      {
        advice: '',
        start({ url }) {
          starts += 1
          if (starts === 2) throw new Error('no process')
          running.add(url)
          let end = () => {}
          const ended = new Promise<{ code: number; reason: string }>(resolve => {
            end = () => resolve({ code: 0, reason: '' })
          })
          return {
            ended,
            async stop() {
              await fetch(url).catch(() => {})
              running.delete(url)
              end()
            },
          }
        },
      },
      { only: ['give up'] },
    )

    await expect(report).rejects.toThrow('no process')
    expect(starts).toBeGreaterThanOrEqual(2)
    expect([...running]).toEqual([])
  })

  it('says what it could not judge of a client without a token', async () => {
    const silent = async (link: Parameters<typeof right>[0]) => void (await right(link))

    const report = await checkFunctionClient(silent as unknown as typeof right, { only })

    expect(report).toMatchObject({
      passed: true,
      checks: [{ notes: ['the client printed nothing, so only its requests and its exit were judged'] }],
    })
  })

  it('lets checks of the baseline fail', async () => {
    const report = await checkFunctionClient(givesUp, { only, baseline: ['gap', 'retry'] })

    expect(report).toMatchObject({
      passed: true,
      checks: [
        {
          name: 'gap',
          passed: false,
          expected: true,
          sentence: expect.stringContaining('and sent the lab no request: no luck'),
        },
      ],
    })
  })

  it('runs no more checks of a client that sends no request, and gives advice', async () => {
    const results: string[] = []

    const report = await checkFunctionClient(givesUp, {
      quick: true,
      baseline: checkNames,
      onResult: ({ name }) => results.push(name),
    })

    expect(report).toEqual({
      passed: false,
      checks: [
        {
          name: expect.any(String),
          passed: false,
          expected: true,
          sentence: expect.stringMatching(
            /^it exited with code 1 after [\d.]+ m?s, and sent the lab no request: no luck\. It must poll GET \/cloud/,
          ),
          evidence: [expect.stringMatching(/ s exit code 1$/)],
          ms: expect.any(Number),
        },
      ],
      notRun: checkNames.filter(name => name !== 'patience' && name !== results[0]),
    })
    expect(results).toHaveLength(1)
  })

  it('fails if a check of the baseline passes', async () => {
    const report = await checkFunctionClient(right, { only, baseline: ['gap'] })

    expect(report).toMatchObject({
      passed: false,
      checks: [
        { name: 'gap', passed: true },
        { name: 'baseline: gap', passed: false, sentence: 'it passes: remove it from the baseline' },
      ],
    })
  })

  it('aborts its client when a check is over', async () => {
    let aborted: AbortSignal | undefined
    const client = ({ signal }: { readonly signal: AbortSignal }) => {
      aborted = signal
      return new Promise<string>(() => {})
    }
    const stop = new AbortController()
    const report = checkFunctionClient(client, { only, signal: stop.signal })
    await expect.poll(() => aborted).toBeDefined()

    stop.abort(new Error('enough'))

    await expect(report).rejects.toThrow('enough')
    expect(aborted?.aborted).toBe(true)
  })

  it.for([
    [{ only: [] }, 'lab: options.only is empty: name a check, or leave it out'],
    [{ only: ['gaps'] }, /^lab: options\.only: "gaps" is no check\. Known: .* Did you mean gap\?$/],
    [{ baseline: ['retri'] }, /^lab: options\.baseline: "retri" is no check\. Known: .* Did you mean retry\?$/],
    [{ only: 'gap' }, 'lab: options.only is "gap": expected a list of checks'],
    [{ quick: true, only: ['patience'] }, 'lab: options.quick leaves out patience, and options.only names it'],
    [
      { quik: true },
      'lab: options.quik is an unknown key. Known: only, quick, baseline, onResult, signal. Did you mean',
    ],
    [null, 'lab: the options are null: expected an object'],
  ] as const)('refuses %j', async ([options, message]) => {
    await expect(checkFunctionClient(right, options as unknown as LabOptions)).rejects.toThrow(message)
  })

  it('refuses a client that is no function', async () => {
    await expect(checkFunctionClient('node client.mjs' as never)).rejects.toThrow(
      'lab: the client is "node client.mjs": expected a function, as in ({ url, token }) => …',
    )
  })
})
