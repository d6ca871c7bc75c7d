import type { HttpHandler } from 'msw'
import type { SetupWorker } from 'msw/browser'
import type { StoryContext } from 'storybook/internal/csf'
import { startStories } from '#stories'
import { sayIfSlow } from '../../core/lib/slow-wait.js'
import { untilControlled } from '../../msw/controlled-page.js'
import { claimListening, listening, releaseListening } from '../../msw/life-cycle.js'
import { printExplanation, toMswOptions } from '../../msw/unhandled-requests.js'

/** The part of MSW's worker, and of its server in Node, that stories need. */
export type StoryMsw = Pick<SetupWorker, 'listHandlers' | 'resetHandlers' | 'use'>

/** Starts MSW in a page, or in Node for stories in jsdom. */
export type StartStories = (options: ReturnType<typeof toMswOptions>) => Promise<StoryMsw>

/** Claims this page for the stories. */
const owner = {}
let own: Promise<StoryMsw> | undefined

/**
 * Makes handlers answer this page, through the worker of another addon if there is one, or else through one of our own. The
 * handlers of others answer first. Rejects with `UsageError` if a mock listens on this page already, or if no worker starts.
 */
export async function answerPage(handlers: HttpHandler[], other: StoryMsw | undefined): Promise<StoryMsw> {
  if (listening() !== owner) claimListening(owner)
  const worker = other ?? (await ownWorker())
  addLast(worker, handlers)
  await untilControlled()
  isAnswered = true
  return worker
}

/** A story on a docs page, as Storybook passes it to loaders. */
type DocsStory = Pick<StoryContext, 'id' | 'abortSignal'>

/** The stories that are starting, each with the function that lets the next one start. */
const turns = new Map<DocsStory, () => void>()
let lastTurn = Promise.resolve()
let isAnswered = false

/**
 * Lets the stories of a docs page start one after the other, until a worker answers the page. msw-storybook-addon would start
 * a worker for each of them at once, which MSW 3 refuses.
 */
export async function waitForTurn(story: DocsStory): Promise<void> {
  if (isAnswered) return
  const before = lastTurn
  lastTurn = new Promise(resolve => turns.set(story, resolve))
  story.abortSignal.addEventListener('abort', () => endTurn(story))
  await sayIfSlow(before, () => `the story ${story.id} still waits for the story before it on this docs page to start`)
}

export function endTurn(story: DocsStory): void {
  turns.get(story)?.()
  turns.delete(story)
}

/** Ends the turns of a story that fails before the worker is asked for. */
export function endTurnsOf(storyId: string): void {
  for (const story of turns.keys()) if (story.id === storyId) endTurn(story)
}

function ownWorker(): Promise<StoryMsw> {
  own ??= start()
  return own
}

/** Removes the handlers that stories added to our own worker. */
export async function resetOwnWorker(): Promise<void> {
  const worker = await own
  worker?.resetHandlers()
}

function addLast(worker: StoryMsw, handlers: HttpHandler[]): void {
  const all = worker.listHandlers()
  if (handlers.every(handler => all.includes(handler))) return
  worker.resetHandlers()
  const initial = worker.listHandlers()
  const added = all.filter(handler => !initial.includes(handler))
  const others = initial.filter(handler => !handlers.some(one => one === handler))
  // MSW types what it lists more widely than what it takes.
  worker.resetHandlers(...(others as HttpHandler[]), ...handlers)
  worker.use(...(added as HttpHandler[]))
}

async function start(): Promise<StoryMsw> {
  try {
    return await startStories(toMswOptions({ onUnhandledRequest: request => printExplanation(request, 'warn') }))
  } catch (error) {
    own = undefined
    releaseListening(owner)
    throw error
  }
}
