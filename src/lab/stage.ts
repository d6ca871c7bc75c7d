import { setTimeout as delay } from 'node:timers/promises'
import type { Fault, HeldRelease } from '../core/contract/faults.js'
import { completeDeviceLink } from '../core/control/device-links.js'
import { createMock, type Mock } from '../core/mock/mock.js'
import type { ScenarioInput } from '../core/scenario/schema.js'
import { bind, createListener, type OpenPort } from '../server/http/server.js'
import { recordingListener } from './recorder.js'
import { type ClientEnd, mostRequests, pollsOf, type RecordedRequest, type Recording } from './recording.js'

/** A client that runs. */
export interface RunningClient {
  /** Resolves when it has ended. Never rejects. */
  readonly ended: Promise<Omit<ClientEnd, 'at'>>
  /** Ends it, whatever it does. Resolves when it is gone. */
  stop(): Promise<void>
}

/** Starts a client. Calls `print` with each text that it prints, and `exceed` if it went beyond a limit. */
export type StartClient = (started: {
  readonly url: string
  readonly token: string
  print(text: string): void
  exceed(what: string): void
}) => RunningClient

/** A client that can be started. */
export interface Client {
  readonly start: StartClient
  /** Says what to do if it sends no request, as sentences. */
  readonly advice: string
}

const scenario: ScenarioInput = {
  title: 'Laboratory',
  clock: 'frozen',
  games: [
    { name_id: 'lab', display_name: 'Laboratory', namespaces: [{ name_id: 'prod', display_name: 'Production' }] },
  ],
}

/** A client polls within this time, in ms. */
export const pollWithinMs = 10_000
/** A poll waits for this time before the lab moves the clock, in ms. */
const waitedMs = 500
/** A client has this time to exit after the lab has completed the link, in ms. */
export const exitWithinMs = 5_000
const tickMs = 15

interface StageOptions {
  readonly token: string
  readonly start: StartClient
  readonly signal: AbortSignal
}

/** One client with a mock, a port and a device link of its own, and what happened to it. */
export class Stage {
  readonly recording: Recording = { requests: [], acts: [], printed: [] }
  readonly #mock: Mock
  readonly #port: OpenPort
  readonly #token: string
  readonly #startedAt = performance.now()
  readonly #signal: AbortSignal
  readonly #client: RunningClient
  #isBreaking = false
  /** Called with each new poll, in the tick in which the mock has got it. */
  onPoll: (poll: RecordedRequest) => void = () => {}
  /** Called with each poll that was answered, before the client can ask again. */
  onAnswer: (poll: RecordedRequest) => void = () => {}

  private constructor(mock: Mock, port: OpenPort, { token, start, signal }: StageOptions) {
    this.#mock = mock
    this.#port = port
    this.#token = token
    this.#signal = signal
    port.serve(
      recordingListener(createListener(mock), {
        recording: this.recording,
        now: () => this.now(),
        isBreaking: () => this.#isBreaking,
        onChange: request => {
          if (request.isPoll && request.end === undefined) this.onPoll(request)
          if (request.isPoll && request.end === 'answered') this.onAnswer(request)
        },
      }),
    )
    const { recording } = this
    this.#client = start({
      url: port.url,
      token,
      print: text => recording.printed.push({ at: this.now(), text }),
      exceed: what => {
        recording.excess ??= what
      },
    })
    void this.#client.ended.then(end => {
      // A client that the lab has ended has not ended by itself.
      if (recording.stoppedAt === undefined) recording.end = { at: this.now(), ...end }
    })
  }

  /** Opens a port with a device link, and starts the client. */
  static async open(start: StartClient, signal: AbortSignal): Promise<Stage> {
    const port = await bind({ port: 0, host: '127.0.0.1' })
    const mock = createMock({ scenario, publicUrl: port.url })
    try {
      const { device_link_token: token } = await mock.default.world.deviceLinks.create({})
      return new Stage(mock, port, { token, start, signal })
    } catch (error) {
      await port.close(mock)
      throw error
    }
  }

  /** The real ms since the client started. */
  now(): number {
    return performance.now() - this.#startedAt
  }

  get polls(): readonly RecordedRequest[] {
    return pollsOf(this.recording)
  }

  async index(): Promise<string> {
    const { body } = await this.#mock.answer({
      method: 'GET',
      path: '/cloud/devices/links',
      query: `device_link_token=${encodeURIComponent(this.#token)}`,
      headers: {},
    })
    const { watch } = JSON.parse(Buffer.from(body).toString()) as { readonly watch: { readonly index: string } } // a link that exists
    return watch.index
  }

  /** Waits for a condition. Resolves with `false` if the time has passed, the client has ended, or it is in a loop. */
  async until(condition: () => boolean, withinMs: number): Promise<boolean> {
    const endsAt = performance.now() + withinMs
    while (!condition()) {
      const { end, excess, requests } = this.recording
      const isOver = end !== undefined || excess !== undefined || requests.length > mostRequests
      if (isOver || performance.now() >= endsAt || this.#signal.aborted) return false
      await delay(tickMs)
    }
    return true
  }

  async watch(ms: number): Promise<void> {
    await this.until(() => false, ms)
  }

  /** Waits for the nth poll of the client, from 1. */
  poll(n: number): Promise<boolean> {
    return this.until(() => this.polls.length >= n, pollWithinMs)
  }

  /** Waits until a poll has waited long enough for a move of the clock. Returns it. */
  async waitingPoll(): Promise<RecordedRequest | undefined> {
    const waiting = () => this.polls.find(({ end, at }) => end === undefined && this.now() - at >= waitedMs)
    await this.until(() => waiting() !== undefined, pollWithinMs)
    return waiting()
  }

  act(what: string): void {
    this.recording.acts.push({ at: this.now(), what })
  }

  fault(effect: Fault['effect'], options: Pick<Fault, 'times'> = {}): string {
    this.#isBreaking ||= Boolean(effect.reset || effect.empty || effect.truncate)
    return this.#mock.default.faults.add({ operation: 'devices.links.get', effect, ...options }).id
  }

  /** Deletes the faults, except that of indexes, and releases what they held. */
  clearFaults(): void {
    const { faults } = this.#mock.default
    for (const { id, effect } of faults.list()) if (!effect.index) faults.remove(id)
    this.#isBreaking = false
  }

  release(how: HeldRelease = {}): void {
    const { faults, held } = this.#mock.default
    const newest = faults.heldRequests().at(-1)
    if (newest) held.release(newest.facts.rayId, how)
  }

  async advance(by: string): Promise<void> {
    this.act(`moved the clock by ${by}`)
    await this.#mock.default.world.clock.advance(by)
  }

  complete(): void {
    if (this.recording.completedAt !== undefined) return
    this.act('completed the link')
    this.recording.completedAt = this.now()
    completeDeviceLink(this.#mock.default.world, this.#token)
    const link = this.#mock.default.world.tables.deviceLinks.get(this.#token)
    if (link?.status === 'complete') this.recording.cloudToken = link.cloud_token
  }

  /** Completes the link, and lets the client print its token and exit. */
  async finish(): Promise<void> {
    this.onPoll = () => {}
    this.onAnswer = () => {}
    this.complete()
    this.clearFaults()
    await this.until(() => this.recording.end !== undefined, exitWithinMs)
  }

  async close(): Promise<void> {
    this.recording.stoppedAt = this.now()
    try {
      await this.#client.stop()
    } finally {
      await this.#port.close(this.#mock)
    }
  }
}
