import type { ArgTypesEnhancer, StoryContext } from 'storybook/internal/csf'
import { addons } from 'storybook/internal/preview-api'
import { escapedLine, quoted, UsageError } from '../../core/lib/messages.js'
import { sayIfSlow } from '../../core/lib/slow-wait.js'
import type { MockmakerWorld } from '../../core/mock/facade.js'
import { checkUnusedFaults } from '../../core/pipeline/unused-faults.js'
import type { ShippedScenario } from '../../core/scenario/schema.js'
import { scenarios } from '../../core/scenario/shipped.js'
import { reportRequests } from '../report.js'
import { parseParameters, type StoryParameters } from './parameters.js'
import { type ShownStory, StoryWorlds } from './story-worlds.js'
import { followToolbar, takeScenarioAround } from './toolbar.js'
import { answerPage, endTurn, endTurnsOf, resetOwnWorker, type StoryMsw, waitForTurn } from './worker.js'

/** The mock of a story: a world of its own, with its handlers. */
export interface StoryMock extends MockmakerWorld {}

/** The keys that the addon adds to the types of stories. */
export interface MockmakerTypes {
  parameters: {
    /** The mock of this story. */
    mockmaker?: StoryParameters
  }
  globals: {
    /** The scenario behind every story, as the toolbar selects it. Default: `''`, which leaves it to the story. */
    mockmaker?: ShippedScenario | ''
  }
}

/** The type of an addon in Storybook 9 and newer. In Storybook 8, which has none, it is `any`. */
// biome-ignore lint/suspicious/noTsIgnore: the type may be there or not, and declarations keep only this comment
/** @ts-ignore */
export type MockmakerAddon = import('storybook/internal/csf').PreviewAddon<MockmakerTypes>

declare module 'storybook/internal/csf' {
  interface StoryContext {
    /** The mock of this story. It ends with the story. */
    mock: StoryMock
  }
}

/** Other addons keep their worker in the context. */
type Context = StoryContext & { msw?: StoryMsw }

// One page has one set of worlds, however often its preview is made.
const worlds = new StoryWorlds()
const rendered = new WeakMap<object, ShownStory>()
const [passed, reported] = [new WeakSet<ShownStory>(), new WeakSet<ShownStory>()]
const opened = new Set<string>()

async function openWorld(context: StoryContext): Promise<void> {
  opened.add(context.id)
  const chosen = parseParameters(context.parameters.mockmaker)
  const aroundFrame = takeScenarioAround()
  const fromToolbar = context.globals.mockmaker || aroundFrame
  const parameters = { ...chosen, ...(fromToolbar && { scenario: fromToolbar }) }
  const isOnDocsPage = context.viewMode === 'docs'
  if (isOnDocsPage && worlds.showsOther(context.id, context.canvasElement, parameters)) return aborted(context)
  // `showInFrame` leaves such a story beside others.
  const sharesWorld = isOnDocsPage && context.parameters.mockmaker === undefined
  const story = await worlds.open(context.id, context.canvasElement, parameters, { sharesWorld })
  rendered.set(context, story)
  context.mock = story.mock
  if (isOnDocsPage) await waitForTurn(context)
}

/**
 * Waits until Storybook aborts this rendering of a story. When the toolbar or a parameter changes, Storybook mounts all stories of
 * a docs page anew, and at the same time renders each of them again. If it cannot abort that at once, it reloads the page.
 */
function aborted({ id, abortSignal }: StoryContext): Promise<void> {
  const aborted = new Promise<void>(resolve => abortSignal.addEventListener('abort', () => resolve()))
  return sayIfSlow(
    aborted,
    () => `the story ${id} still waits for Storybook to end this rendering of it: reload the page`,
  )
}

function refuseWithoutWorld(render: () => unknown, { id, parameters }: StoryContext): unknown {
  if (parameters.mockmaker === undefined || opened.has(id)) return render()
  throw new UsageError(
    `the story ${id} has no mock yet: run it with await Story.run(), or await Story.load() before you render it`,
  )
}

async function answerRequests(context: Context): Promise<() => Promise<void>> {
  try {
    context.msw = await answerPage(worlds.handlers, context.msw)
  } finally {
    endTurn(context)
  }
  const story = rendered.get(context)
  return async () => {
    if (story) {
      // A test runner sends no event. Storybook aborts each story that it no longer shows.
      if (!passed.has(story) && !context.abortSignal.aborted) report(story)
      await worlds.close(story)
    }
    if (worlds.shown.length === 0) await resetOwnWorker()
  }
}

async function checkFaults(context: StoryContext): Promise<void> {
  const story = rendered.get(context)
  if (!story) return
  if (story.parameters.strict) checkUnusedFaults(story.mock.faults.list({ unused: true }))
  passed.add(story)
}

function report(story: ShownStory): void {
  if (reported.has(story)) return
  reported.add(story)
  const { storyId, mock } = story
  // biome-ignore lint/suspicious/noConsole: the console of the story's page
  console.error(`mockmaker: the requests of the story ${storyId}, which failed\n${reportRequests(mock)}`)
}

/**
 * Shows stories with the parameter `mockmaker` in frames on docs pages. It enhances no arg types: no other hook of Storybook can
 * change a parameter of some stories only.
 */
const showInFrame: ArgTypesEnhancer = ({ parameters, argTypes }) => {
  const { mockmaker, docs } = parameters
  if (mockmaker !== undefined && mockmaker.frame !== false)
    parameters.docs = { ...docs, story: { ...docs?.story, inline: false } }
  return argTypes
}

void addons.ready().then(channel => {
  const reportById = (id: string) => worlds.shown.filter(({ storyId }) => storyId === id).forEach(report)
  channel.on(
    'storyRenderPhaseChanged',
    ({ storyId, newPhase }: { readonly storyId: string; readonly newPhase: string }) => {
      if (newPhase === 'errored') reportById(storyId)
    },
  )
  // Some errors cause this event only.
  channel.on('storyFinished', ({ storyId, status }: { readonly storyId: string; readonly status: string }) => {
    if (status === 'error') reportById(storyId)
    endTurnsOf(storyId)
  })
})
followToolbar(() => worlds.shown)

export const annotations: MockmakerAddon = {
  loaders: [openWorld],
  decorators: [refuseWithoutWorld],
  beforeEach: answerRequests,
  afterEach: checkFaults,
  argTypesEnhancers: [showInFrame],
  initialGlobals: { mockmaker: '' },
  globalTypes: {
    mockmaker: {
      name: 'Scenario',
      description: 'The scenario behind every story',
      toolbar: {
        icon: 'database',
        dynamicTitle: true,
        items: [
          { value: '', title: 'Scenario of the story' },
          // Storybook drops a message with a line separator. This one would take all toolbars with it.
          ...Object.entries(scenarios).map(([value, { title }]) => ({
            value,
            title: title === undefined ? quoted(value) : escapedLine(`${title} (${value})`),
          })),
        ],
      },
    },
  },
}
