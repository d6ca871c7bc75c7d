import * as msw from 'msw'
import { ApiError } from '../../core/contract/errors.js'
import { URL } from '../../core/lib/real-globals.js'
import type { Mockmaker, MockmakerWorld } from '../../core/mock/facade.js'
import { createMock, type Mock } from '../../core/mock/mock.js'
import { scenarios } from '../../core/scenario/shipped.js'
import { toMockmaker } from '../../msw/mockmaker.js'
import type { CheckedParameters } from './parameters.js'

interface Owner {
  readonly mock: Mock
  readonly object: Mockmaker
}

export interface ShownStory {
  readonly storyId: string
  /** The element that shows it. A docs page can show a story twice. */
  readonly element: unknown
  readonly parameters: CheckedParameters
  readonly mock: MockmakerWorld
  readonly owner: Owner
  /** All such stories of a page have one world. It also answers the requests that name no world. */
  readonly sharesWorld: boolean
  /** Storybook did not mount the component anew for this world. It still shows the answers of an earlier one. */
  readonly isOutdated: boolean
}

/** The worlds of the stories that this page shows. */
export class StoryWorlds {
  /** By base URL. A page needs one, unless its stories have different ones. */
  readonly #mocks = new Map<string, Owner>()
  readonly #shown = new Map<unknown, ShownStory>()
  #count = 0
  #lastOpened: Promise<unknown> = Promise.resolve()

  /** The handlers of all base URLs until now. */
  get handlers(): msw.HttpHandler[] {
    return [...this.#mocks.values()].flatMap(({ object }) => object.handlers)
  }

  get shown(): readonly ShownStory[] {
    return [...this.#shown.values()]
  }

  /**
   * Gives a story a new world, or with `sharesWorld` the world of the stories that share one. A story that is rendered again in
   * its element keeps its world, unless its parameters differ. Rejects with `UsageError` if the parameters are wrong.
   */
  open(
    storyId: string,
    element: unknown,
    parameters: CheckedParameters,
    { sharesWorld = false }: { readonly sharesWorld?: boolean } = {},
  ): Promise<ShownStory> {
    // Storybook can render a story again while an aborted rendering still runs its loaders.
    const opened = this.#lastOpened.then(() => this.#open({ storyId, element, parameters, sharesWorld }))
    this.#lastOpened = opened.catch(() => {})
    return opened
  }

  showsOther(storyId: string, element: unknown, parameters: CheckedParameters): boolean {
    const before = this.#shown.get(element)
    return before?.storyId === storyId && !isSame(before.parameters, parameters)
  }

  async #open(opened: Pick<ShownStory, 'storyId' | 'element' | 'parameters' | 'sharesWorld'>): Promise<ShownStory> {
    const { storyId, element, parameters, sharesWorld } = opened
    const before = this.#shown.get(element)
    if (before?.storyId === storyId && isSame(before.parameters, parameters)) return before
    const sharing = this.shown.find(one => sharesWorld && one.sharesWorld && isSame(one.parameters, parameters))
    const { mock, owner } = sharing ?? (await this.#createWorld(storyId, parameters))
    const isOutdated = before?.storyId === storyId
    const story = { ...opened, mock, owner, isOutdated }
    // The newest story comes last.
    this.#shown.delete(element)
    this.#shown.set(element, story)
    if (before) await this.#end(before)
    return story
  }

  async #createWorld(
    storyId: string,
    { scenario = 'default', seed, faults = [], baseUrl = '*' }: CheckedParameters,
  ): Promise<Pick<ShownStory, 'mock' | 'owner'>> {
    const owner = this.#mockOf(baseUrl)
    const mock = await owner.object.worlds.put(`story-${++this.#count}`, { scenario, seed })
    try {
      for (const fault of faults) mock.faults.add(fault)
    } catch (error) {
      await this.#end({ storyId, mock, owner })
      throw error
    }
    return { mock, owner }
  }

  /** Deletes the world of a story, unless others share it. All its requests get answers. */
  async close(story: ShownStory): Promise<void> {
    if (this.#shown.get(story.element) === story) this.#shown.delete(story.element)
    await this.#end(story)
  }

  async #end({ storyId, owner, mock }: Pick<ShownStory, 'storyId' | 'owner' | 'mock'>): Promise<void> {
    if (this.shown.some(one => one.mock === mock)) return
    await owner.mock.worlds.delete(mock.id, `this mock belongs to the story ${storyId}, which is no longer shown`)
  }

  #mockOf(baseUrl: string): Owner {
    const known = this.#mocks.get(baseUrl)
    if (known) return known
    const options = { baseUrl, world: (request: Request) => this.#choose(request, created) }
    const mock = createMock({}, { scenarios })
    const created: Owner = { mock, object: toMockmaker(mock, options, { http: msw.http, more: () => ({}) }) }
    this.#mocks.set(baseUrl, created)
    return created
  }

  #choose(request: Request, owner: Owner): string {
    const stories = this.shown.filter(story => story.owner === owner)
    const named = stories.find(({ mock }) => namesWorld(request, mock.id))
    if (named) return named.mock.id
    const [only, another] = stories
    if (only && !another) return only.mock.id
    // The toolbar gives such stories a new world one after the other.
    const shared = stories.findLast(({ sharesWorld }) => sharesWorld)
    if (shared) return shared.mock.id
    const { pathname } = new URL(request.url)
    if (!only) throw new ApiError('API_NOT_FOUND', `${request.method} ${pathname} came when no story was shown`)
    const ids = stories.map(({ storyId }) => storyId).join(', ')
    throw new ApiError(
      'API_NOT_FOUND',
      `${request.method} ${pathname} could be from any of the stories of this page (${ids}): let the code call mock.url, or give each story a frame, with parameters: { mockmaker: {} }`,
    )
  }
}

function namesWorld({ url, headers }: Request, id: string): boolean {
  return new URL(url).pathname.includes(`/w/${id}/`) || headers.get('x-mock-world') === id
}

/** Storybook keeps the parameters of a story, so equal values are the same objects. */
function isSame(one: CheckedParameters, other: CheckedParameters): boolean {
  const keys = ['scenario', 'faults', 'seed', 'baseUrl', 'strict'] as const
  return keys.every(key => one[key] === other[key])
}
