import { fc, it as property } from '@fast-check/vitest'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Console } from '../../src/cli/output.js'
import { createConsole } from '../../src/cli/output.js'
import { processWith, terminal, written } from '../support/console.js'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'setImmediate'] }))

/** Prints a counted line: `list ×3`. */
function printCounted(console: Console, text: string): void {
  console.printCounted({ key: () => text, text: count => `${text} ×${count}` })
}

/** A terminal with a status line. */
function withStatus(size: { columns?: number; rows?: number } = {}) {
  const shown = terminal(size)
  shown.console.showStatus('status')
  const print = async (...texts: readonly string[]) => {
    for (const text of texts) printCounted(shown.console, text)
    await written()
  }
  return { ...shown, print }
}

describe('a counted line above a status line', () => {
  property.prop([
    fc.array(fc.constantFrom('a', 'b', 'c'.repeat(70), '日本', 'wait', 'warn'), { maxLength: 40 }),
    fc.integer({ min: 10, max: 100 }),
  ])('counts each line once, in its order', async (steps, columns) => {
    const { console, lines, exit } = withStatus({ columns })
    for (const step of steps)
      if (step === 'wait') await written()
      else if (step === 'warn') console.warn(step)
      else printCounted(console, step)
    exit()

    const logged = lines().slice(0, -1)
    const said = steps.filter(step => step !== 'wait')
    const counted = logged.flatMap(line => {
      const [text = '', count = '1'] = line.split(' ×')
      return Array<string>(Number(count)).fill(text)
    })
    const runs = said.filter((text, i) => text === 'warn' || text !== said[i - 1])
    expect(counted).toEqual(said)
    // The width of such characters differs between terminals, so their line is not replaced.
    expect(logged.filter(line => !line.startsWith('日本'))).toHaveLength(runs.filter(text => text !== '日本').length)
  })

  it('changes in place', async () => {
    const { lines, print } = withStatus()

    await print('list')
    await print('list', 'list')
    await print('list')

    expect(lines()).toEqual(['list ×4', 'status'])
  })

  it('changes in place if it takes several rows', async () => {
    const { lines, print } = withStatus({ columns: 20 })
    const long = 'x'.repeat(50)

    await print(long)
    await print(long)

    expect(lines()).toEqual([`${long} ×2`, 'status'])
  })

  it('is not replaced if it does not fit the screen', async () => {
    const { lines, print, exit } = withStatus({ columns: 20, rows: 4 })
    const long = 'x'.repeat(50)

    await print(long)
    await print(long, long)
    exit()

    expect(lines()).toEqual([`${long} ×1`, `${long} ×2`, ''])
  })

  it.each<[string, (shown: ReturnType<typeof withStatus>) => void]>([
    ['another line', ({ console }) => console.print('between')],
    ['a warning', ({ console }) => console.warn('between')],
    ['a document', ({ console }) => console.printDocument('between')],
  ])('begins anew after %s', async (_, between) => {
    const shown = withStatus()

    await shown.print('list', 'list')
    between(shown)
    await shown.print('list')

    expect(shown.lines()).toEqual(['list ×2', 'between', 'list ×1', 'status'])
  })

  it.each<[string, (shown: ReturnType<typeof withStatus>) => void]>([
    ['a resize', ({ resize }) => resize(30)],
    [
      'a pause of the command',
      ({ console }) => {
        console.showStatus('')
        console.showStatus('status')
      },
    ],
  ])('begins anew after %s', async (_, between) => {
    const shown = withStatus()

    await shown.print('list', 'list')
    between(shown)
    await shown.print('list')

    expect(shown.lines()).toEqual(['list ×2', 'list ×1', 'status'])
  })

  it('begins anew on a cleared screen', async () => {
    const { console, lines, print } = withStatus()

    await print('list', 'list')
    console.clear()
    await print('list')

    expect(lines()).toEqual(['list ×1', 'status'])
  })
})

describe('a counted line without a status line', () => {
  it.each([true, false])('comes at once, and its repetitions before the next line: on a terminal: %s', async isTTY => {
    const { process, written: output } = processWith({ isTTY })
    const console = createConsole(process)

    for (const text of ['list', 'list', 'list']) printCounted(console, text)
    await written()
    const first = output.stdout
    printCounted(console, 'list')
    console.print('next')
    await written()

    expect([first, output.stdout]).toEqual(['list ×1\n', 'list ×1\nlist ×3\nnext\n'])
  })

  it('has its repetitions before a warning', async () => {
    const { process, written: output } = processWith()
    const console = createConsole(process)

    for (const text of ['list', 'list']) printCounted(console, text)
    console.warn('between')
    printCounted(console, 'list')
    await written()

    expect(output.stdout).toBe('list ×1\nlist ×1\nlist ×1\n')
  })
})
