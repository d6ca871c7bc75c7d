import { ClientError, call, type InputOf, type Output, type Remote, type Route } from '../client/core.js'
import { decodeSegment, defaultWorldId, splitWorldUrl, worldPath } from '../contract/paths.js'

/** The worlds that a tool reads: the fork of the session, or the world of the mock that the fork was made from. */
export type Place = 'fork' | 'mock'

/**
 * A session of an agent with a mock. It works in a world of its own: a fork, made at the first call that needs it. All writes go
 * there, so nobody else sees them.
 */
export class Session {
  readonly #server: Remote
  readonly #source: string
  readonly #id: string
  /** The fork, once a call has asked for it. */
  #fork: Promise<void> | undefined
  #isEnded = false

  /** `id` is that of the fork. */
  constructor(remote: Remote, id: string) {
    const { server = remote.url, encodedId = defaultWorldId } = splitWorldUrl(remote.url) ?? {}
    this.#server = { ...remote, url: server }
    this.#source = decodeSegment(encodedId)
    this.#id = id
  }

  /** The URL of the fork. A game that shall play in it uses this URL. */
  get url(): string {
    return this.#server.url + worldPath(this.#id)
  }

  /** Makes a call of the control API in the fork. Rejects with `ClientError`. */
  async write<Name extends Route>(route: Name, ...input: InputOf<Name>): Promise<Output<Name>> {
    await this.#ensureFork()
    try {
      return await call({ ...this.#server, url: this.url }, route, ...input)
    } catch (error) {
      if (isMissing(error)) await this.#checkFork()
      throw error
    }
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
    if (this.#fork === undefined) return
    await call(this.#server, 'DELETE /worlds/{world_id}', { params: { world_id: this.#id } }).catch(error => {
      // The mock has ended, or has deleted the fork itself.
      if (!(error instanceof ClientError)) throw error
    })
  }

  /** Makes the fork if there is none. Rejects with `ClientError` if that fails. */
  #ensureFork(): Promise<void> {
    if (this.#isEnded) throw new ClientError('the session has ended', { status: 0, code: 'ENDED' })
    this.#fork ??= this.#makeFork()
    return this.#fork
  }

  async #makeFork(): Promise<void> {
    try {
      await call(this.#server, 'PUT /worlds/{world_id}', {
        params: { world_id: this.#id },
        body: { fork: this.#source },
      })
    } catch (error) {
      // The next call tries again.
      this.#fork = undefined
      throw error
    }
  }

  /** Rejects with `ClientError` if the mock no longer has the fork. The next call makes another one. */
  async #checkFork(): Promise<void> {
    try {
      await call(this.#server, 'GET /worlds/{world_id}', { params: { world_id: this.#id } })
    } catch (error) {
      if (!isMissing(error)) return
      this.#fork = undefined
      throw new ClientError(
        `the mock no longer has your world: it was restarted, or nobody used the world for long. Your changes are gone. The next call makes a new world with the same URL, ${this.url}`,
        { status: 404, code: 'FORK_LOST' },
      )
    }
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof ClientError && error.status === 404
}
