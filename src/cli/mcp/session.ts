import { ClientError, call, type InputOf, type Output, type Remote, type Route } from '../../client/call.js'
import { decodeSegment, defaultWorldId, splitWorldUrl, worldPath } from '../../core/contract/paths.js'

/** The worlds that a tool reads: the fork of the session, or the world of the mock that the fork was made from. */
export type Place = 'fork' | 'mock'

/** A session of an agent with a mock. All writes go to a fork, made at the first call that needs it. */
export class Session {
  readonly #server: Remote
  readonly #source: string
  readonly #id: string
  /** The fork, once a call has asked for it: the time at which the mock has created its world. */
  #fork: Promise<string | undefined> | undefined
  /** True while the mock has the fork, as far as the session knows. */
  #isMade = false
  #isEnded = false

  /** `id` is that of the fork. */
  constructor(remote: Remote, id: string) {
    const { server = remote.url, encodedId = defaultWorldId } = splitWorldUrl(remote.url) ?? {}
    this.#server = { ...remote, url: server }
    this.#source = decodeSegment(encodedId)
    this.#id = id
  }

  /** The URL of the fork: the base URL for a game that plays in it. */
  get url(): string {
    return this.#server.url + worldPath(this.#id)
  }

  /** Makes a call of the control API in the fork. Rejects with `ClientError`. */
  async write<Name extends Route>(route: Name, ...input: InputOf<Name>): Promise<Output<Name>> {
    await this.#ensureFork()
    return call({ ...this.#server, url: this.url }, route, ...input)
  }

  /** Makes a call that changes nothing, in either world. Rejects with `ClientError`. */
  async read<Name extends Route>(place: Place, route: Name, ...input: InputOf<Name>): Promise<Output<Name>> {
    if (place === 'fork') return this.write(route, ...input)
    return call({ ...this.#server, url: this.#server.url + worldPath(this.#source) }, route, ...input)
  }

  /** Deletes the fork. Calls that are still open may fail. */
  async end(): Promise<void> {
    this.#isEnded = true
    await this.#fork?.catch(() => {})
    if (!this.#isMade) return
    await call(this.#server, 'DELETE /worlds/{world_id}', { params: { world_id: this.#id } }).catch(error => {
      // The mock has ended, or has deleted the fork itself.
      if (!(error instanceof ClientError)) throw error
    })
  }

  /** Makes the fork, unless the session has one. Rejects with `ClientError` if that fails, or if the mock has lost the fork. */
  async #ensureFork(): Promise<void> {
    if (this.#isEnded) throw new ClientError('the session has ended', { status: 0, code: 'ENDED' })
    const known = this.#fork
    this.#fork ??= this.#makeFork()
    await this.#fork
    if (known) await this.#checkFork(known)
  }

  async #makeFork(): Promise<string | undefined> {
    try {
      const params = { world_id: this.#id }
      await call(this.#server, 'PUT /worlds/{world_id}', { params, body: { fork: this.#source } })
      this.#isMade = true
      return (await call(this.#server, 'GET /worlds/{world_id}', { params })).created_at
    } catch (error) {
      // The next call tries again.
      this.#fork = undefined
      throw error
    }
  }

  /** Rejects with `ClientError` if the mock has lost the fork. A request of the game may have made a plain world there. */
  async #checkFork(fork: Promise<string | undefined>): Promise<void> {
    const found = await call(this.#server, 'GET /worlds/{world_id}', { params: { world_id: this.#id } }).catch(
      error => {
        if (error instanceof ClientError && error.status === 404) return undefined
        throw error
      },
    )
    if (found && found.created_at === (await fork)) return
    // Another call may have made the next one already.
    if (this.#fork === fork) {
      this.#fork = undefined
      this.#isMade = false
    }
    throw new ClientError(
      `the mock no longer has your world: it was restarted, or nobody used the world for long. Your changes are gone. The next call makes a new world with the same URL, ${this.url}`,
      { status: 404, code: 'FORK_LOST' },
    )
  }
}
