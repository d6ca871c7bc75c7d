import { ApiError } from '../contract/errors.js'
import { isControlPath, pathInWorld, worldPath } from '../contract/paths.js'
import { checkControlRequest, handleControl } from '../control/handler.js'
import { type Dashboard, pageFor } from '../control/pages.js'
import type { ServableMock } from '../mock/mock.js'
import type { MockWorld } from '../mock/mock-world.js'
import type { UnknownWorld } from '../mock/mock-worlds.js'
import type { ScenarioInput } from '../scenario/schema.js'
import type { MockRequest, MockResponse } from '../server/message.js'
import { mayControl } from '../server/origin.js'
import { routes } from '../server/routes.js'
import { version } from '../version.js'

/** Answers everything that a server of a mock answers. `origin` returns the URL of the mock, without a slash at its end. */
export type Service = (request: MockRequest, origin: () => string) => MockResponse | Promise<MockResponse>

export interface ServiceOptions {
  /** Default: on. */
  readonly control?: boolean | undefined
  /** Addresses of other machines that may use the control API. Default: none. */
  readonly controlHosts?: readonly string[] | undefined
  /** Default: `create`, as over HTTP. */
  readonly unknownWorld?: UnknownWorld | undefined
  /**
   * Refuses operations, unknown worlds, and control calls other than GET, for this reason: a sentence without a full stop.
   * Default: nothing is refused.
   */
  readonly readOnlyBecause?: string | undefined
  /** Reads the text of a scenario file, for the control API. Throws `UsageError`. Default: it refuses texts. */
  readonly parseScenario?: ((text: string, file: string) => ScenarioInput) | undefined
  /** Returns the page at `/`. Default: a page that says that there is no dashboard. */
  readonly dashboard?: (() => Dashboard) | undefined
}

/**
 * Creates the function that answers control calls, pages and operations, each in the world that the request names. It throws
 * `ApiError` if the request reaches no world.
 */
export function createService(
  mock: ServableMock,
  {
    control = true,
    controlHosts = [],
    unknownWorld = 'create',
    readOnlyBecause,
    dashboard,
    parseScenario,
  }: ServiceOptions = {},
): Service {
  const { worlds } = mock
  const isReadOnly = readOnlyBecause !== undefined
  const forUnknownWorld = isReadOnly ? { refuseBecause: readOnlyBecause } : unknownWorld

  async function answerControlCall(request: MockRequest, world: MockWorld, url: string): Promise<MockResponse> {
    const startedAt = performance.now()
    try {
      if (isReadOnly && !['GET', 'HEAD'].includes(request.method)) throw new ApiError('API_FORBIDDEN', readOnlyBecause)
      const response = await handleControl({
        mock: world,
        server: mock,
        parseScenario,
        version,
        url,
        request,
        isReadOnly,
      })
      return world.respond(request, response, startedAt)
    } catch (error) {
      return world.refuse(request, error, startedAt)
    }
  }

  /** Answers in the name of a world that gets no requests. A preflight asks only whether a page may read the answer. */
  function refuseOperation(
    request: MockRequest,
    world: MockWorld,
    because: string,
  ): MockResponse | Promise<MockResponse> {
    if (request.method === 'OPTIONS') return world.handle(request)
    try {
      routes.find(request.method, request.path)
      throw new ApiError('API_FORBIDDEN', because)
    } catch (error) {
      return world.refuse(request, error)
    }
  }

  return (request, origin) => {
    const isControl = control && isControlPath(pathInWorld(request.path))
    const preflight = isControl ? checkControlRequest(request, controlHosts) : undefined
    if (preflight) return mock.respond(request, preflight)
    const { mock: world, request: inner, basePath } = worlds.find(request, forUnknownWorld)
    // This URL names the world in its path, even if the request named it in a header.
    if (isControl) return answerControlCall(inner, world, origin() + worldPath(world.id))
    const page = pageFor(inner, () => ({
      mock: world,
      url: origin() + basePath,
      version,
      // The dashboard only works where the control API answers.
      dashboard: control && mayControl(request, controlHosts) ? dashboard : undefined,
    }))
    if (page) return world.respond(inner, page)
    return isReadOnly ? refuseOperation(inner, world, readOnlyBecause) : world.handle(inner)
  }
}
