import { fc, it as property } from '@fast-check/vitest'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { type CountedLine, createConsole } from '../../src/cli/output.js'
import { processWith } from '../support/console.js'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'setImmediate'] }))

/** Lets the console write its lines. The timers are fake. */
const written = () => vi.advanceTimersByTimeAsync(20)

const counted = (text: string): CountedLine => ({
  text: count => `${text} ×${count}`,
  repeats: earlier => earlier.text(1) === `${text} ×1`,
})

/** A console whose counted lines are `list ×3`. */
function counting({ isTTY = false } = {}) {
  const { process, written: output } = processWith({ isTTY })
  const console = createConsole(process)
  const print = async (...texts: readonly string[]) => {
    for (const text of texts) console.printCounted(counted(text))
    await written()
  }
  const lines = () => `${output.stdout}`.split('\n').slice(0, -1)
  return { console, print, lines, exit: () => process.emit('exit', 0) }
}

describe('a counted line', () => {
  property.prop([fc.array(fc.constantFrom('a', 'b', '日本', 'wait', 'warn'), { maxLength: 40 })])(
    'counts each line once, in its order',
    async steps => {
      const { console, print, lines, exit } = counting()
      for (const step of steps)
        if (step === 'wait') await written()
        else if (step === 'warn') console.warn(step)
        else void print(step)
      exit()
      await written()

      const counted = lines().flatMap(line => {
        const [text = '', count] = line.split(' ×')
        return Array<string>(Number(count)).fill(text)
      })
      expect(counted).toEqual(steps.filter(step => step !== 'wait' && step !== 'warn'))
    },
  )

  it.each([true, false])('comes at once, and its repetitions before the next line: on a terminal: %s', async isTTY => {
    const { console, print, lines } = counting({ isTTY })

    await print('list', 'list', 'list')
    const first = lines()
    await print('list')
    console.print('next')
    await written()

    expect([first, lines()]).toEqual([['list ×1'], ['list ×1', 'list ×3', 'next']])
  })

  it.each<[string, (console: ReturnType<typeof counting>['console']) => void, string[]]>([
    ['another line', console => console.print('between'), ['between']],
    ['a warning', console => console.warn('between'), []],
    ['a document', console => console.printDocument('between'), ['between']],
  ])('begins anew after %s', async (_, between, shown) => {
    const { console, print, lines } = counting()

    await print('list', 'list')
    between(console)
    await print('list')

    expect(lines()).toEqual(['list ×1', 'list ×1', ...shown, 'list ×1'])
  })
})
