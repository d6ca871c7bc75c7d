import { ApiError, UnavailableError, withUnknownOutcome } from '../../core/contract/errors.js'
import {
  controlPath,
  defaultWorldId,
  isControlPath,
  readinessPath,
  worldId,
  worldPath,
} from '../../core/contract/paths.js'
import { createsWorld, prefersJson } from '../../core/control/call.js'
import { type FoundCall, findControlCall, readControlInput, runControlCall } from '../../core/control/handler.js'
import { after } from '../../core/lib/after.js'
import { lazy } from '../../core/lib/lazy.js'
import { real } from '../../core/lib/real-globals.js'
import type { Steps } from '../../core/lib/steps.js'
import type { Mock } from '../../core/mock/mock.js'
import type { AppOptions } from '../../core/mock/options.js'
import type { RunningWorld } from '../../core/mock/running-world.js'
import type { UnknownWorld } from '../../core/mock/world-router.js'
import {
  type AbortSignalLike,
  header,
  type MockRequest,
  type MockResponse,
  type MockResponseInit,
} from '../../core/pipeline/message.js'
import { type ControlAccess, checkHost, isForeign, mayControl } from '../../core/pipeline/origin.js'
import { ClientGone } from '../../core/pipeline/reads.js'
import { outputResult, type Responder } from '../../core/pipeline/respond.js'
import { locate, type Place, requestAt, routes } from '../../core/pipeline/routes.js'
import { runInSlices } from '../../core/store/timers.js'
import { version } from '../../version.js'
import { parseScenarioText, scenarioText } from '../files/scenario-file.js'
import { parseControlHosts } from './address-lists.js'
import { controlOpenapi } from './control-openapi.js'
import { checkControlToken, holderCheck } from './control-token.js'
import { completeDeviceLink, isFromDeviceLinkPage } from './device-link-page.js'
import { dashboardPage, isForPage, pageFor } from './pages.js'
import type { NeededWorld } from './router.js'

/** A request whose body may still be on its way. */
export interface ServedRequest {
  /** The most bytes of its body that the service reads. Default: `bodyLimit`. */
  readonly maxBodyBytes?: number | undefined
  /** The world that it needs, if several processes share the worlds. `undefined`: any of them may answer. */
  readonly world?: NeededWorld | undefined
  /** Answers it, with its body. Never throws or rejects. */
  answer(): MockResponse | Promise<MockResponse>
}

export interface ServiceOptions extends Omit<AppOptions, 'allowedHosts'> {
  /** Names to allow in the Host header besides those of this machine and IP addresses. Default: all names. */
  readonly allowedHosts?: readonly string[] | undefined
  /** Default: `create`, as over HTTP. */
  readonly unknownWorld?: UnknownWorld | undefined
  /**
   * Refuses operations, unknown worlds, and control calls other than GET, for this reason: a sentence without a full stop.
   * Default: nothing is refused.
   */
  readonly readOnlyBecause?: string | undefined
  /**
   * The URL by which others reach the mock, without a slash at its end. `asked`: the address by which each client asked
   * (PROTOCOL.md B8). Default: that of the mock's options.
   */
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

/** A control call in its world. */
interface CallPlace extends Pick<Parameters<typeof runControlCall>[2], 'read' | 'isNew'> {
  readonly request: MockRequest
  readonly world: RunningWorld
  readonly url: string
}

/** Serves control calls, pages and operations, each in the world that the request names. */
export class Service {
  readonly #mock: Mock
  readonly #options: ServiceOptions
  readonly #forUnknown: UnknownWorld
  readonly #access: ControlAccess
  /** Tells whether this process itself has sent a request. */
  readonly #isOwn: ((request: MockRequest) => boolean) | undefined
  /** A client sends the same Host each time. */
  #lastAllowed: string | undefined

  /** Throws `UsageError` if an option is wrong. */
  constructor(mock: Mock, options: ServiceOptions = {}) {
    const { unknownWorld = 'create', controlHosts = [], controlToken, ownToken, readOnlyBecause } = options
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
  }

  /**
   * Finds where a request goes. `origin` returns the URL of the mock, without a slash at its end. `isForwarded`: another process
   * has made the checks that depend on the connection. Never throws.
   */
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
        return this.#serveControlCall(request, place, { origin, access: isChecked ? everybody : this.#access })
      }
      // It must not come into the journal.
      if (!isForwarded && this.#access.hasToken?.(request) && !isForPage(request.method, place.path))
        throw new ApiError(
          'TOKEN_INVALID',
          `this is the control token, and only the calls under ${controlPath} take it`,
        )
      if (this.#isDashboardOfNone(request, place))
        return { answer: () => this.#mock.router.outside.answer(request, dashboardPage()) }
      return {
        answer: () => this.#answer(request, place, origin),
        world: this.#neededWorld(place.worldId, () => this.#mayCreate(request, place)),
      }
    } catch (error) {
      return this.refuse(request, error)
    }
  }

  /** Answers a request with an error, in no world. */
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

  #serveControlCall(
    request: MockRequest,
    place: Place,
    { origin, access }: { readonly origin: () => string; readonly access: ControlAccess },
  ): ServedRequest {
    const { worlds, router } = this.#mock
    const found = findControlCall(request, place, access)
    if ('preflight' in found) return { answer: () => router.outside.answer(request, found.preflight) }
    const { limits, answeredBy, method } = found.call
    const maxBodyBytes = limits?.bytes
    // This URL names the world in its path, even if the request named it in a header.
    const urlOf = (id: string) => origin() + worldPath(id)
    const named = String(found.params.world_id)
    const read = lazy(() => readControlInput(found, request))
    if (worlds.shared && answeredBy !== undefined) {
      const { default: world } = worlds
      const { outside: responder } = router
      const inner = requestAt(request, place)
      const settled = () => worlds.inMemory(named)?.world.settled()
      const answer = () =>
        this.#answerControlCall(found, {
          ...{ request: inner, world, responder, url: urlOf(place.worldId), settled, read, isNew: false },
        })
      if (answeredBy === 'this') return { maxBodyBytes, answer }
      const mayCreate = () => method === 'PUT'
      return { maxBodyBytes, answer, world: this.#neededWorld(named, mayCreate, { needsContent: method !== 'DELETE' }) }
    }
    const mayCreate = this.#forUnknown === 'create' && createsWorld(found.call)
    let isNew = false
    const createAfter = () => {
      read()
      isNew = true
    }
    return {
      maxBodyBytes,
      answer: () =>
        router.answer(request, place, mayCreate ? { createAfter } : this.#unlessCreated(request), (world, inner) =>
          this.#answerControlCall(found, {
            ...{ request: inner, world, responder: world.responder, url: urlOf(world.id), read, isNew },
            settled: () => Promise.all([world.world.settled(), worlds.inMemory(named)?.world.settled()]),
          }),
        ),
      world: this.#neededWorld(place.worldId, () => mayCreate),
    }
  }

  /** Otherwise a page that polls a world, or asks for its icon, would create it again after someone has deleted it. */
  #unlessCreated({ basePath = '' }: MockRequest): UnknownWorld {
    if (this.#forUnknown !== 'create') return this.#forUnknown
    const call = `PUT ${basePath}${controlPath}/worlds/{id}`
    return { refuseBecause: `${call} creates one, and so does its first operation, or a call that changes it` }
  }

  /** Returns the world that a request needs, if this process may be the wrong one for it. */
  #neededWorld(
    id: string,
    mayCreate: () => boolean,
    { needsContent }: Pick<NeededWorld, 'needsContent'> = { needsContent: true },
  ): NeededWorld | undefined {
    if (!this.#mock.worlds.shared || !worldId.pattern.test(id)) return undefined
    return {
      id,
      // Everybody can use it, as if it had always been there.
      get mayCreate() {
        return id === defaultWorldId || mayCreate()
      },
      needsContent,
    }
  }

  #mayCreate(request: MockRequest, place: Place): boolean {
    const { outside } = this.#mock.router
    if (request.method === 'OPTIONS' || this.#forUnknown !== 'create') return false
    return isForNewWorld(request.method, place.path) && !isForeign(request, outside.allowed)
  }

  /** Answers when all changes until now are kept: an error may tell about them too. */
  async #answerControlCall(
    found: FoundCall,
    {
      responder,
      settled,
      ...call
    }: CallPlace & { readonly responder: Responder; settled(): Promise<unknown> | undefined },
  ): Promise<MockResponse> {
    const { request } = call
    const startedAt = real.now()
    // A call that names a world may change another one than that of its path.
    const { revision } = call.world.world
    const since = found.params.world_id === undefined ? revision + 1 : 0
    const result = await this.#runControlCall(found, call).catch((error: unknown) => ({ error }))
    // A refused call leaves no world behind.
    if ('error' in result && call.isNew && call.world.world.revision === revision) {
      const refusal = responder.refuse(request, result.error, startedAt)
      await this.#mock.worlds.delete(call.world.id)
      return refusal
    }
    try {
      await settled()
    } catch (error) {
      // The call itself knows better what it has changed.
      if ('error' in result && result.error instanceof UnavailableError)
        return responder.refuse(request, result.error, startedAt)
      const hasWritten = !('error' in result) && !['GET', 'HEAD'].includes(request.method)
      return responder.refuse(request, withUnknownOutcome(error, hasWritten ? since : undefined), startedAt)
    }
    if ('error' in result) return responder.refuse(request, result.error, startedAt)
    return responder.answer(request, result, startedAt)
  }

  async #runControlCall(found: FoundCall, { request, world, url, read, isNew }: CallPlace): Promise<MockResponseInit> {
    const { readOnlyBecause } = this.#options
    const isReadOnly = readOnlyBecause !== undefined
    if (isReadOnly && !['GET', 'HEAD'].includes(request.method)) throw new ApiError('API_FORBIDDEN', readOnlyBecause)
    const server = this.#mock
    const texts = { parseScenario: parseScenarioText, scenarioText }
    const openapi = () => controlOpenapi({ version, serverUrl: url })
    const inSlices = <Result>(steps: Steps<Result>) => runInSlices(untilGone(steps, request), this.#options.now)
    const hasControlToken = this.#access.hasToken !== undefined
    const { publicUrl } = this.#options
    const context = {
      ...{ mock: world, server, ...texts, openapi, version, url, request, inSlices, hasControlToken, isReadOnly },
      publicUrl: publicUrl === undefined || publicUrl === 'asked' ? undefined : publicUrl + worldPath(world.id),
    }
    return await runControlCall(found, context, { read, isNew })
  }

  #publicUrlOf({ id }: RunningWorld, origin: () => string): string | undefined {
    const { publicUrl } = this.#options
    if (publicUrl === undefined) return undefined
    return (publicUrl === 'asked' ? origin() : publicUrl) + worldPath(id)
  }

  /**
   * Tells whether a browser asks for the dashboard of a world that this process does not have. The page is the same for all worlds. It
   * says if there is no such world, and does not make one.
   */
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
    const unknown = isServed ? this.#forUnknown : this.#unlessCreated(request)
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

/** The rules for a caller that another process has checked, or that is this one. */
const everybody: ControlAccess = { isListed: () => true }

/** Tells whether a request may create its world. */
function isForNewWorld(method: string, path: string): boolean {
  return routes.list(method, path).length > 0 || isForPage(method, path)
}

/** Does the work until the client disconnects, and then throws `ClientGone`. */
function* untilGone<Result>(steps: Steps<Result>, request: MockRequest): Steps<Result> {
  for (let next = steps.next(), client: AbortSignalLike | undefined; ; next = steps.next()) {
    if (next.done) return next.value
    yield
    client ??= request.signal?.()
    // The work may have files to close.
    if (client?.aborted) steps.throw(new ClientGone())
  }
}

/** Answers in the name of a world that gets no requests. A preflight asks only whether a page may read the answer. */
function refuseOperation(request: MockRequest, world: RunningWorld, because: string) {
  if (request.method === 'OPTIONS') return world.handle(request)
  try {
    routes.find(request.method, request.path, request.basePath)
    throw new ApiError('API_FORBIDDEN', because)
  } catch (error) {
    return world.responder.refuse(request, error)
  }
}
