import { ApiError, UnavailableError } from '../../core/contract/errors.js'
import { controlPath, isControlPath, readinessPath, worldId, worldPath } from '../../core/contract/paths.js'
import { prefersJson } from '../../core/control/call.js'
import { after } from '../../core/lib/after.js'
import { type CallTexts, ControlCalls, type ServedRequest } from '../../core/mock/control-calls.js'
import type { Mock } from '../../core/mock/mock.js'
import type { AppOptions } from '../../core/mock/options.js'
import type { RunningWorld } from '../../core/mock/running-world.js'
import type { UnknownWorld } from '../../core/mock/world-router.js'
import { header, type MockRequest, type MockResponse } from '../../core/pipeline/message.js'
import { type ControlAccess, checkHost, isForeign, mayControl } from '../../core/pipeline/origin.js'
import { outputResult } from '../../core/pipeline/respond.js'
import { locate, type Place, routes } from '../../core/pipeline/routes.js'
import { version } from '../../version.js'
import { capsuleHtml } from '../files/capsule-html.js'
import { parseScenarioText, scenarioText } from '../files/scenario-file.js'
import { parseControlHosts } from './address-lists.js'
import { controlOpenapi } from './control-openapi.js'
import { checkControlToken, holderCheck } from './control-token.js'
import { completeDeviceLink, isFromDeviceLinkPage } from './device-link-page.js'
import { dashboardPage, isForPage, pageFor } from './pages.js'

export interface ServiceOptions extends Omit<AppOptions, 'allowedHosts'> {
  /** Names to allow in the Host header besides those of this machine and IP addresses. Default: all names. */
  readonly allowedHosts?: readonly string[] | undefined
  /** Default: `create`, as over HTTP. */
  readonly unknownWorld?: UnknownWorld | undefined
  /** Refuses operations, unknown worlds, and control calls other than GET, for this reason. Default: refuses nothing. */
  readonly readOnlyBecause?: string | undefined
  /** The URL by which others reach the mock. `asked`: the address by which each client asked. Default: that of the mock. */
  readonly publicUrl?: string | undefined
  /** The host of game servers, unless `publicUrl` or the scenario names one. Default: that by which each client reaches the mock. */
  readonly serverHost?: string | undefined
  /** Returns the real time in ms, by which long calls take turns with other work. Default: `performance.now`. */
  readonly now?: (() => number) | undefined
  /** A token by which this process itself may make every control call. Default: none. */
  readonly ownToken?: string | undefined
  /** Shows the dashboard at `/`. It needs a stream of events. Default: true. */
  readonly dashboard?: boolean | undefined
}

/** Serves control calls, pages and operations, each in the world that the request names. */
export class Service {
  readonly #mock: Mock
  readonly #options: ServiceOptions
  readonly #forUnknown: UnknownWorld
  readonly #access: ControlAccess
  readonly #calls: ControlCalls
  /** Tells whether this process itself has sent a request. */
  readonly #isOwn: ((request: MockRequest) => boolean) | undefined
  /** A client sends the same Host each time. */
  #lastAllowed: string | undefined

  /** Throws `UsageError` if an option is wrong. */
  constructor(mock: Mock, options: ServiceOptions = {}) {
    const {
      unknownWorld = 'create',
      controlHosts = [],
      controlToken,
      ownToken,
      readOnlyBecause,
      publicUrl,
      now,
    } = options
    this.#access = {
      isListed: parseControlHosts(controlHosts),
      hasToken:
        controlToken === undefined ? undefined : holderCheck(checkControlToken(controlToken, 'options.controlToken')),
    }
    for (const token of [controlToken, ownToken]) if (token !== undefined) mock.secrets.add(token)
    this.#isOwn = ownToken === undefined ? undefined : holderCheck(ownToken)
    this.#mock = mock
    this.#options = options
    this.#forUnknown = readOnlyBecause === undefined ? unknownWorld : { refuseBecause: readOnlyBecause }
    this.#calls = new ControlCalls(mock, {
      ...{ texts, forUnknown: this.#forUnknown, readOnlyBecause, now, hasControlToken: controlToken !== undefined },
      publicUrl: publicUrl === 'asked' ? undefined : publicUrl,
    })
  }

  /** Finds where a request goes. `isForwarded`: another process has checked the connection. Never throws. */
  serve(
    request: MockRequest,
    origin: () => string,
    { isForwarded = false }: { readonly isForwarded?: boolean } = {},
  ): ServedRequest {
    const { control = true } = this.#options
    const { method, path } = request
    const isProbe = path === readinessPath && (method === 'GET' || method === 'HEAD')
    if (isProbe && !isForwarded) return { answer: () => this.#answerProbe(request) }
    try {
      if (!isForwarded) this.#checkHost(request)
      const place = locate(request)
      if (control && isControlPath(place.path)) {
        const isChecked = isForwarded || this.#isOwn?.(request) === true
        return this.#calls.serve(request, place, { origin, access: isChecked ? everybody : this.#access })
      }
      // It must not come into the journal.
      if (!isForwarded && this.#access.hasToken?.(request) && !isForPage(request.method, place.path))
        throw new ApiError(
          'TOKEN_INVALID',
          `this is the control token, and only the calls under ${controlPath} take it`,
        )
      if (this.#isDashboardOfNone(request, place))
        return { answer: () => this.#mock.router.outside.answer(request, dashboardPage(request)) }
      return {
        answer: () => this.#answer(request, place, origin),
        world: this.#calls.neededWorld(place.worldId, () => this.#mayCreate(request, place)),
      }
    } catch (error) {
      return this.refuse(request, error)
    }
  }

  refuse(request: MockRequest, error: unknown): ServedRequest {
    return { answer: () => this.#mock.router.outside.refuse(request, error) }
  }

  /** Answers everybody, before all checks (PROTOCOL.md B9). */
  #answerProbe(request: MockRequest): MockResponse {
    const { notReady, worlds, router } = this.#mock
    const reasons = [...notReady, worlds.shared?.trouble].filter(reason => reason !== undefined)
    if (reasons.length === 0) return router.outside.answer(request, outputResult({ status: 'ok' }))
    return router.outside.refuse(request, new UnavailableError(reasons.join(', and ')))
  }

  #checkHost(request: MockRequest): void {
    const { allowedHosts } = this.#options
    const host = header(request, 'host')
    const hosts = request.headers.host
    if (typeof hosts === 'object')
      throw new ApiError('API_BAD_HEADERS', `the request has different Host headers, ${hosts.join(' and ')}: send one`)
    if (allowedHosts && (host === undefined || host !== this.#lastAllowed)) checkHost(host, allowedHosts)
    this.#lastAllowed = host
  }

  #mayCreate(request: MockRequest, place: Place): boolean {
    const { outside } = this.#mock.router
    if (request.method === 'OPTIONS' || this.#forUnknown !== 'create') return false
    return isForNewWorld(request.method, place.path) && !isForeign(request, outside.allowed)
  }

  #publicUrlOf({ id }: RunningWorld, origin: () => string): string | undefined {
    const { publicUrl } = this.#options
    if (publicUrl === undefined) return undefined
    return (publicUrl === 'asked' ? origin() : publicUrl) + worldPath(id)
  }

  /** Tells whether a browser asks for the dashboard of a world that is not here. The page says so, and makes none. */
  #isDashboardOfNone(request: MockRequest, { path, worldId: id }: Place): boolean {
    if (path !== '/' || !isForPage(request.method, path) || prefersJson(header(request, 'accept'))) return false
    return worldId.pattern.test(id) && !this.#mock.worlds.has(id) && this.#hasDashboard(request)
  }

  #hasDashboard(request: MockRequest): boolean {
    const { control = true, dashboard = true } = this.#options
    const { hasToken, isListed } = this.#access
    return dashboard && control && (hasToken !== undefined || mayControl(request, isListed))
  }

  #answer(request: MockRequest, place: Place, origin: () => string): MockResponse | Promise<MockResponse> {
    const { readOnlyBecause, publicUrl, serverHost } = this.#options
    const { worlds, router } = this.#mock
    const isNew = this.#forUnknown === 'create' && !worlds.has(place.worldId)
    const isServed = !isNew || isForNewWorld(request.method, place.path)
    const unknown = isServed ? this.#forUnknown : this.#calls.unlessCreated(request)
    const { hasToken } = this.#access
    return router.answer(request, place, unknown, (world, inner) => {
      const page = pageFor(inner, () => ({
        mock: world,
        url: origin() + place.basePath,
        hasDashboard: this.#hasDashboard(request),
        hidesTokens: hasToken !== undefined,
      }))
      if (page) return after(world.world.settled(), () => world.responder.answer(inner, page))
      inner.publicUrl = this.#publicUrlOf(world, origin)
      inner.serverHost = publicUrl === undefined || publicUrl === 'asked' ? serverHost : undefined
      if (readOnlyBecause === undefined && isFromDeviceLinkPage(inner)) return completeDeviceLink(inner, world)
      return readOnlyBecause === undefined ? world.handle(inner) : refuseOperation(inner, world, readOnlyBecause)
    })
  }
}

const texts: CallTexts = {
  parseScenario: parseScenarioText,
  scenarioText,
  capsuleHtml,
  version,
  openapiAt: serverUrl => controlOpenapi({ version, serverUrl }),
}

const everybody: ControlAccess = { isListed: () => true }

function isForNewWorld(method: string, path: string): boolean {
  return routes.list(method, path).length > 0 || isForPage(method, path)
}

function refuseOperation(request: MockRequest, world: RunningWorld, because: string) {
  if (request.method === 'OPTIONS') return world.handle(request)
  try {
    routes.find(request.method, request.path, request.basePath)
    throw new ApiError('API_FORBIDDEN', because)
  } catch (error) {
    return world.responder.refuse(request, error)
  }
}
