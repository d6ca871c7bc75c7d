import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { casesOf, checksOf, rulesOf } from '../../src/lab/checks.js'
import type { RecordedRequest, Recording } from '../../src/lab/recording.js'
import {
  acceptsNoOtherAnswer,
  asksAgain,
  asksOneAtATime,
  deadAct,
  endsWell,
  firstFailure,
  givesUp,
  isNoBusyLoop,
  isPatient,
  obeysRetryAfter,
  pausesGrow,
  polls,
  printsLittle,
  retriesWithSameIndex,
  sendsNewestIndex,
  takesLowerIndex,
} from '../../src/lab/verdicts.js'

const cloudToken = 'cloud.mock.abcdefgh'

/** A poll that is answered 100 ms later with an index. */
const poll = (at: number, index?: string, answered = '1', more: Partial<RecordedRequest> = {}): RecordedRequest => ({
  at,
  method: 'GET',
  target: '/cloud/devices/links?device_link_token=device.mock.a',
  isPoll: true,
  index,
  endedAt: at + 100,
  end: 'answered',
  status: 200,
  answer: JSON.stringify({ watch: { index: answered } }),
  ...more,
})

const failed = (at: number, index: string, status = 503, endedAt = at): RecordedRequest =>
  poll(at, index, '', { status, endedAt, answer: '{"code":"ERROR"}' })

const recording = (requests: RecordedRequest[], more: Partial<Recording> = {}): Recording => ({
  requests,
  acts: [],
  printed: [],
  ...more,
})

/** The end of a right client: the link is complete at 1000. */
const complete = (printed: readonly string[], more: Partial<Recording> = {}): Recording =>
  recording([poll(900, '1', '2', { endedAt: 1_010, answer: JSON.stringify({ cloud_token: cloudToken }) })], {
    completedAt: 1_000,
    cloudToken,
    printed: printed.map(text => ({ at: 1_020, text })),
    end: { at: 1_030, code: 0, reason: '' },
    ...more,
  })

describe('the rule on busy loops', () => {
  const times = fc.array(fc.nat(30_000), { maxLength: 60 }).map(all => all.sort((a, b) => a - b))

  test.prop([times, fc.option(fc.nat(30_000), { nil: undefined })])(
    'fails if and only if 11 requests come in 5 s, before the link is complete',
    (times, completedAt) => {
      const before = times.filter(at => completedAt === undefined || at < completedAt)
      const isLoop = before.some((at, i) => (before[i + 10] ?? Number.POSITIVE_INFINITY) < at + 5_000)

      const failure = isNoBusyLoop(
        recording(
          times.map(at => poll(at)),
          completedAt === undefined ? {} : { completedAt },
        ),
      )

      expect(failure !== undefined).toBe(isLoop)
    },
  )
})

describe('the rule on the newest index', () => {
  /** The indexes of answers, of 1 to 19 digits. */
  const indexes = fc.array(fc.bigInt(0n, 10n ** 19n - 1n).map(String), { minLength: 2, maxLength: 12 })
  const echo = (all: readonly string[]) =>
    all.map((index, i) => poll(i * 1_000, i === 0 ? undefined : all[i - 1], index))

  test.prop([indexes])('passes a client that sends each index back', all => {
    expect(sendsNewestIndex(recording(echo(all)))).toBeUndefined()
  })

  test.prop([indexes, fc.nat(), fc.constantFrom('', '0', undefined, 'rounded')])(
    'fails a client that sends anything else once',
    (all, at, wrong) => {
      const requests = echo(all)
      const i = 1 + (at % (requests.length - 1))
      const right = requests[i] as RecordedRequest
      const index = wrong === 'rounded' ? String(Number(right.index) + 1_000) : wrong
      fc.pre(index !== right.index)
      requests[i] = { ...right, index }

      expect(sendsNewestIndex(recording(requests))?.proof.at(-1)).toBe(requests[i])
    },
  )

  it('does not count answers that were not whole, or failed', () => {
    const broken = poll(1_000, '1', '2', { end: 'broken' })

    expect(sendsNewestIndex(recording([poll(0), broken, failed(2_000, '1'), poll(3_000, '1')]))).toBeUndefined()
  })

  it('fails a client that never sends one', () => {
    expect(sendsNewestIndex(recording([poll(0)]))?.sentence).toBe(
      'it asked for a device link 1 time without watch_index',
    )
  })
})

describe('the rule on open polls', () => {
  const gaps = fc.array(fc.record({ wait: fc.nat(5_000), pause: fc.nat(5_000) }), { maxLength: 20 })

  test.prop([gaps])('passes polls one after another', gaps => {
    let at = 0
    const requests = gaps.map(({ wait, pause }) => {
      const one = poll(at, '1', '1', { endedAt: at + wait })
      at += wait + pause
      return one
    })

    expect(asksOneAtATime(recording(requests))).toBeUndefined()
  })

  it('fails two at once, also if one never ends', () => {
    const { endedAt: _, end: __, ...open } = poll(0)

    expect(asksOneAtATime(recording([open, poll(500)]))?.proof).toHaveLength(2)
    expect(asksOneAtATime(recording([poll(0, '1', '1', { endedAt: 900 }), poll(500)]))).toBeDefined()
  })
})

describe('the rules on failures', () => {
  const retried = (...pauses: number[]) => {
    let at = 0
    const requests = [...pauses, 0].map(pause => {
      const one = failed(at, '7')
      at += pause
      return one
    })
    requests[requests.length - 1] = poll(at - 0, '7')
    return recording(requests)
  }

  it.for([
    [[250, 500, 1_000], undefined],
    [[1_000, 1_000, 1_000], 'it asked again after each failure, and the pauses do not grow: 1.000 s, 1.000 s, 1.000 s'],
    [[1, 2, 3], 'it asked again after each failure, and the pauses do not grow: 0.001 s, 0.002 s, 0.003 s'],
  ] as const)('judge the pauses %j', ([pauses, sentence]) => {
    expect(pausesGrow(retried(...pauses))?.sentence).toBe(sentence)
  })

  it('prove pauses that do not grow with each request of them', () => {
    const steady = retried(1_000, 1_000, 1_000)
    const again = recording([poll(0), ...steady.requests.map(one => ({ ...one, at: one.at + 500 })), poll(9_000)])

    expect(pausesGrow(steady)?.proof).toEqual(steady.requests)
    expect(pausesGrow(again)?.proof.map(({ at }) => at)).toEqual([500, 1_500, 2_500, 3_500])
  })

  it('want the same index, and another request', () => {
    expect(retriesWithSameIndex(retried(100))).toBeUndefined()
    expect(retriesWithSameIndex(recording([failed(0, '7'), poll(1, undefined)]))?.sentence).toBe(
      'it sent no index after a failed poll with 7',
    )
    expect(retriesWithSameIndex(recording([failed(0, '7')]))?.sentence).toBe('it did not ask again after a failure')
  })

  it('want the pause of retry-after', () => {
    expect([1_950, 1_800].map(pause => obeysRetryAfter(2)(retried(pause))?.sentence)).toEqual([
      undefined,
      'it asked again after 1.800 s, and retry-after said 2 s',
    ])
  })

  it('want no request, an exit and a reason after a refusal', () => {
    const refused = failed(0, '7', 404)
    const end = { at: 50, code: 1, reason: 'the link has expired' }
    const judge = (requests: RecordedRequest[], more: Partial<Recording>) =>
      givesUp(recording(requests, { stoppedAt: 5_000, ...more }))?.sentence

    expect(judge([refused], { end })).toBeUndefined()
    expect(judge([refused, poll(90)], { end })).toBe('it went on after the answer 404')
    expect(judge([refused], {})).toBe('it did not exit within 5 s after the answer 404')
    expect(judge([refused], { end: { ...end, code: 0 } })).toBe('it exited with code 0 after the answer 404')
    expect(judge([refused], { end: { ...end, reason: ' ' } })).toBe('it gave no reason on standard error')
    expect(judge([poll(0)], { end })).toBe('it did not ask again, so nothing could be refused')
  })
})

describe('the rules on the end', () => {
  test.prop([fc.array(fc.nat(cloudToken.length), { maxLength: 5 })])(
    'pass a token in one line, in whatever chunks it arrives',
    cuts => {
      const at = [0, ...cuts.sort((a, b) => a - b), cloudToken.length + 1]
      const chunks = at.slice(1).map((end, i) => `${cloudToken}\n`.slice(at[i], end))

      expect(endsWell(5_000)(complete(chunks))).toBeUndefined()
    },
  )

  it.for([
    [['\n'], {}, undefined],
    [[cloudToken, '\n', cloudToken], {}, 'it printed the cloud token 2 times'],
    [['cloud.mock.abcd\nefgh\n'], {}, 'it printed the cloud token in pieces'],
    [['cloud.mock.abcd\n'], {}, 'it printed another cloud token: cloud.mock.abcd'],
    [[cloudToken], { end: { at: 1_030, code: 3, reason: 'a\nb' } }, 'it exited with code 3: b'],
    [
      [cloudToken],
      { end: { at: 1_030, code: 1, reason: 'TypeError: no link\n    at ask (client.mjs:3:1)\n\nNode.js v20.20.2\n' } },
      'it exited with code 1: TypeError: no link',
    ],
    [[cloudToken], { end: { at: 1_030, code: undefined, signal: 'SIGSEGV', reason: '' } }, 'it was ended by SIGSEGV'],
    [
      [cloudToken],
      { end: { at: 6_500, code: 0, reason: '' } },
      'it did not exit within 5 s after the link was complete',
    ],
    [[], { end: { at: 500, code: 0, reason: '' } }, 'it exited with code 0, before the link was complete'],
  ] as const)('judge %j with %j', ([printed, more, sentence]) => {
    expect(endsWell(5_000)(complete(printed, more))?.sentence).toBe(sentence)
  })

  it('fail a client that the lab had to end', () => {
    const { end: _, ...open } = complete([cloudToken])

    expect(endsWell(5_000)(open)?.sentence).toBe('it did not exit within 5 s after the link was complete')
  })

  it('say that the lab ended a client in a loop early', () => {
    const { end: _, ...open } = complete([cloudToken])
    const loop = { ...open, requests: Array.from({ length: 310 }, (_, i) => poll(4 * i)) }
    const elsewhere = loop.requests.map(one => ({ ...one, isPoll: false }))
    const sentence = 'it sent more than 300 requests in 1.200 s, so the lab ended it early'

    expect(endsWell(5_000)(loop)?.sentence).toBe(sentence)
    expect(polls({ ...loop, requests: elsewhere })?.sentence).toBe(sentence)
  })

  it('allow no effect before an answer with the token', () => {
    expect(acceptsNoOtherAnswer(complete([cloudToken]))).toBeUndefined()
    expect(acceptsNoOtherAnswer(complete([], { end: { at: 100, code: 0, reason: '' } }))?.sentence).toBe(
      'it exited with code 0 before it had the cloud token',
    )
    expect(acceptsNoOtherAnswer(complete([], { printed: [{ at: 100, text: 'cloud.mock.ab\n' }] }))?.sentence).toBe(
      'it printed a cloud token before it had one: cloud.mock.ab',
    )
  })
})

describe('the other rules', () => {
  it('want little output', () => {
    const excess = 'it printed more than 1 MB on standard output'

    expect([printsLittle(complete([])), printsLittle(complete([], { excess }))?.sentence]).toEqual([undefined, excess])
  })

  it('want a poll', () => {
    expect(polls(recording([]))?.sentence).toBe('it sent the lab no request within 10 s')
    expect(polls(recording([poll(0, '1', '1', { isPoll: false })]))?.sentence).toBe(
      'it never asked for its link within 10 s',
    )
    expect(polls(recording([], { end: { at: 210, code: 1, reason: 'no curl' } }))?.sentence).toBe(
      'it exited with code 1 after 0.2 s, and sent the lab no request: no curl',
    )
    expect(polls(recording([], { end: { at: 210, code: 0, reason: '' } }))?.sentence).toBe(
      'it exited with code 0 after 0.2 s, and sent the lab no request',
    )
  })

  it('want another poll soon after a timeout', () => {
    const judge = (...requests: RecordedRequest[]) =>
      asksAgain('moved', 2_000)(recording(requests, { acts: [{ at: 50, what: 'moved' }] }))?.sentence
    const late = 'it did not ask again within 2 s after an answer with nothing new'

    expect([judge(poll(0), poll(2_000)), judge(poll(0), poll(2_200)), judge(poll(0)), judge(poll(60))]).toEqual([
      undefined,
      late,
      late,
      'no poll of it was waiting for a change',
    ])
  })

  it('want no crash on half an answer, whatever the index', () => {
    const half = poll(1_000, undefined, '', { end: 'broken' })
    const end = { at: 1_200, code: 1, reason: 'SyntaxError: Unexpected end of JSON input\n    at JSON.parse' }
    const rules = casesOf(checksOf()['half an answer']).flatMap(rulesOf)
    const judge = (requests: RecordedRequest[], more: Partial<Recording>) =>
      firstFailure(recording(requests, { completedAt: 1_100, ...more }), rules)

    expect(judge([poll(0), half], { end })).toEqual({
      sentence: 'it crashed on half an answer: it exited with code 1: SyntaxError: Unexpected end of JSON input',
      proof: [half],
    })
    expect(judge([poll(0), half, poll(1_150, '1')], { end })?.sentence).toBe(
      'it sent no index after an answer with the index 1',
    )
    expect(judge([poll(0), half], {})?.sentence).toBe('it sent no index after an answer with the index 1')
  })

  it('let a lower index be sent, or none', () => {
    const first = poll(0, undefined, '500')
    const lower = poll(1_000, '500', '40')
    const judge = (index: string | undefined) =>
      takesLowerIndex(recording([first, lower, poll(2_000, index)]))?.sentence

    expect([judge('40'), judge(undefined), judge('500')]).toEqual([
      undefined,
      undefined,
      'it sent the index 500 after an answer with the lower index 40',
    ])
  })

  it('want patience with an answer, and none with a dead connection', () => {
    const rule = isPatient({ holdMs: 42_500, deadMs: 90_000 })
    const acts = [
      { at: 43_000, what: 'moved the clock by 40s' },
      { at: 43_010, what: deadAct },
    ]
    const held = poll(0, '1', '1', { endedAt: 43_000 })
    const dead = poll(43_009, '1', '', { end: 'left', endedAt: 103_009 })
    const judge = (...requests: RecordedRequest[]) => rule(recording(requests, { acts }))?.sentence

    expect([
      judge(held, dead, poll(103_100)),
      judge(held, dead),
      judge(poll(0, '1', '1', { end: 'left', endedAt: 30_000 }), dead),
      rule(recording([poll(0)]))?.sentence,
    ]).toEqual([
      undefined,
      'it did not ask again within 90 s on a dead connection',
      'it cut a poll after 30.000 s, and an answer may take 42.5 s',
      'no poll of it waited for 42.5 s',
    ])
  })
})
