import { ApiError, UnavailableError, withUnknownOutcome } from '../contract/errors.js'
import { controlPath, defaultWorldId, worldId, worldPath } from '../contract/paths.js'
import { type ControlContext, createsWorld } from '../control/call.js'
import { type FoundCall, findControlCall, readControlInput, runControlCall } from '../control/handler.js'
import { lazy } from '../lib/lazy.js'
import { real } from '../lib/real-globals.js'
import type { Steps } from '../lib/steps.js'
import type { AbortSignalLike, MockRequest, MockResponse, MockResponseInit } from '../pipeline/message.js'
import type { ControlAccess } from '../pipeline/origin.js'
import { ClientGone } from '../pipeline/reads.js'
import type { Responder } from '../pipeline/respond.js'
import { type Place, requestAt } from '../pipeline/routes.js'
import { runInSlices } from '../store/timers.js'
import type { Mock } from './mock.js'
import type { RunningWorld } from './running-world.js'
import type { UnknownWorld } from './world-router.js'

/** The world that a request needs, if several processes share the worlds. */
export interface NeededWorld {
  readonly id: string
  /** True if the request may create the world. */
  readonly mayCreate: boolean
  /** False if the request deletes the world: it may be damaged. */
  readonly needsContent: boolean
}

/** A request whose body may still be on its way. */
export interface ServedRequest {
  /** The most bytes of its body that the service reads. Default: `bodyLimit`. */
  readonly maxBodyBytes?: number | undefined
  /** The world that it needs, if several processes share the worlds. `undefined`: any of them may answer. */
  readonly world?: NeededWorld | undefined
  /** Answers it, with its body. Never throws or rejects. */
  answer(): MockResponse | Promise<MockResponse>
}

/** The parts of the calls that need the library of YAML, or files of the package. */
export interface CallTexts extends Pick<ControlContext, 'parseScenario' | 'scenarioText' | 'capsuleHtml' | 'version'> {
  /** Describes the control API at a URL as an OpenAPI document. */
  openapiAt(url: string): object
}

interface ControlOptions {
  readonly texts: CallTexts
  /** Default: a call that changes an unknown world creates it. */
  readonly forUnknown?: UnknownWorld | undefined
  /** Refuses the calls other than GET, for this reason. Default: they are answered. */
  readonly readOnlyBecause?: string | undefined
  /** The URL by which others reach the mock, without a slash at its end. Default: nobody has told. */
  readonly publicUrl?: string | undefined
  /** True if the calls need a control token. Default: they need none. */
  readonly hasControlToken?: boolean | undefined
  /** Returns the real time in ms, by which long calls take turns with other work. Default: `performance.now`. */
  readonly now?: (() => number) | undefined
}

interface CallPlace extends Pick<Parameters<typeof runControlCall>[2], 'read' | 'isNew'> {
  readonly request: MockRequest
  readonly world: RunningWorld
  readonly url: string
}

/** Answers control calls, each in the world that the request names. */
export class ControlCalls {
  readonly #mock: Mock
  readonly #options: ControlOptions
  readonly #forUnknown: UnknownWorld

  constructor(mock: Mock, options: ControlOptions) {
    this.#mock = mock
    this.#options = options
    this.#forUnknown = options.forUnknown ?? 'create'
  }

  /** Finds the call of a request. `origin` returns the URL of the mock without a slash at its end. Throws `ApiError`. */
  serve(
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
      const call = { request: requestAt(request, place), world: worlds.default, responder: router.outside, read }
      const settled = () => worlds.inMemory(named)?.world.settled()
      const answer = () => this.#answerControlCall(found, { ...call, url: urlOf(place.worldId), settled, isNew: false })
      if (answeredBy === 'this') return { maxBodyBytes, answer }
      const mayCreate = () => method === 'PUT'
      return { maxBodyBytes, answer, world: this.neededWorld(named, mayCreate, { needsContent: method !== 'DELETE' }) }
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
        router.answer(request, place, mayCreate ? { createAfter } : this.unlessCreated(request), (world, inner) =>
          this.#answerControlCall(found, {
            request: inner,
            world,
            responder: world.responder,
            url: urlOf(world.id),
            read,
            isNew,
            settled: () => Promise.all([world.world.settled(), worlds.inMemory(named)?.world.settled()]),
          }),
        ),
      world: this.neededWorld(place.worldId, () => mayCreate),
    }
  }

  /** Otherwise a page that polls a world, or asks for its icon, would create it again after someone has deleted it. */
  unlessCreated({ basePath = '' }: MockRequest): UnknownWorld {
    if (this.#forUnknown !== 'create') return this.#forUnknown
    const call = `PUT ${basePath}${controlPath}/worlds/{id}`
    return { refuseBecause: `${call} creates one, and so does its first operation, or a call that changes it` }
  }

  /** Returns the world that a request needs, if this process may be the wrong one for it. */
  neededWorld(
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
    const { texts, readOnlyBecause, publicUrl, hasControlToken = false, now } = this.#options
    const isReadOnly = readOnlyBecause !== undefined
    if (isReadOnly && !['GET', 'HEAD'].includes(request.method)) throw new ApiError('API_FORBIDDEN', readOnlyBecause)
    const { parseScenario, scenarioText, capsuleHtml, version } = texts
    const openapi = () => texts.openapiAt(url)
    const inSlices = <Result>(steps: Steps<Result>) => runInSlices(untilGone(steps, request), now)
    const context = {
      ...{ mock: world, server: this.#mock, parseScenario, scenarioText, openapi, version, url, request },
      ...{ capsuleHtml, inSlices, hasControlToken, isReadOnly },
      publicUrl: publicUrl === undefined ? undefined : publicUrl + worldPath(world.id),
    }
    return await runControlCall(found, context, { read, isNew })
  }
}

function* untilGone<Result>(steps: Steps<Result>, request: MockRequest): Steps<Result> {
  for (let next = steps.next(), client: AbortSignalLike | undefined; ; next = steps.next()) {
    if (next.done) return next.value
    yield
    client ??= request.signal?.()
    if (!client?.aborted) continue
    steps.return(undefined as Result) // nobody reads it
    throw new ClientGone()
  }
}
