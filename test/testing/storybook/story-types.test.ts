import { describe, expect, expectTypeOf, it } from 'vitest'
import type { StoryMock } from '../../../src/testing/storybook/index.js'

type Csf = typeof import('storybook/internal/csf')
type Addon = typeof import('../../../src/testing/storybook/index.js')

/** Stories as users write them. The compiler checks them, and nobody calls this: the addon needs a page. */
function defineStories({ definePreview }: Pick<Csf, 'definePreview'>, { mockmaker }: Pick<Addon, 'mockmaker'>) {
  const preview = definePreview({ addons: [mockmaker()], initialGlobals: { mockmaker: 'launch-day' } })
  const meta = preview.meta({
    title: 'Lobbies',
    parameters: { mockmaker: { scenario: { game_modes: ['duel'] }, seed: 1, frame: false } },
  })
  const busy = meta.story({
    parameters: { mockmaker: { scenario: 'friday-night', faults: [{ effect: { hold: true } }] } },
    async play({ mock }) {
      expectTypeOf(mock).toEqualTypeOf<StoryMock>()
      await mock.lobby({ players: 1 })
    },
  })
  // @ts-expect-error There is no such scenario.
  const unknown = meta.story({ parameters: { mockmaker: { scenario: 'fridaynight' } } })
  // @ts-expect-error There is no such parameter.
  const misspelt = meta.story({ parameters: { mockmaker: { scenarios: 'friday-night' } } })
  // @ts-expect-error There is no such scenario.
  const unknownGlobal = meta.story({ globals: { mockmaker: 'fridaynight' } })
  return [busy, unknown, misspelt, unknownGlobal]
}

describe('stories of `definePreview`', () => {
  it('have the types of the addon', () => {
    expect(defineStories).toBeTypeOf('function')
  })
})
