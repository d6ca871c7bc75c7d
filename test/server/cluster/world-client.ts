import type { ClientCall, Seat } from './client-history.js'

/** A request to a world, whatever carries it. */
export interface ClientRequest {
  readonly method: string
  readonly path: string
  /** Without `?`. */
  readonly query: string
  readonly body: string | undefined
}

/** Where the clients of a test are: the way of their requests, their time, and what they saw together. */
export interface ClientPlace {
  readonly calls: ClientCall[]
  readonly problems: string[]
  readonly worlds: readonly string[]
  readonly links: readonly string[]
  /** A further world, which clients reset and delete. */
  readonly resetWorld: string
  /** From 0 to 1. */
  random(): number
  /** Numbers the beginnings and ends of calls. */
  nextOrder(): number
  pause(ms: number): Promise<void>
  /** Sends a request, to any process if none is given. `wasSent` is false if it reached none. No status: there was no answer. */
  send(request: ClientRequest, process?: number): Promise<{ wasSent: boolean; status?: number; text?: string }>
}

/** The seeds of resets. There are few, so that a seed comes back. No world begins with one of them. */
const seeds = [901, 902, 903, 904]

/** A client of several worlds. It sends one call after the other, and writes down what it saw. */
export class WorldClient {
  readonly #place: ClientPlace
  /** The seats that it got, and did not leave. */
  readonly #seats: { readonly world: string; readonly token: string }[] = []

  constructor(place: ClientPlace) {
    this.#place = place
  }

  /** Sends calls until somebody says so, with pauses of at most that time. */
  async run(isOver: () => boolean, longestPauseMs: number): Promise<void> {
    const { worlds, links } = this.#place
    while (!isOver()) {
      await this.#place.pause(this.#place.random() * longestPauseMs)
      const world = this.#pick(worlds)
      const dice = this.#place.random()
      if (dice < 0.4) await this.find(world)
      else if (dice < 0.65) await this.list(world)
      else if (dice < 0.74) await this.leave()
      else if (dice < 0.82) await this.watch(world, this.#pick(links))
      else if (dice < 0.86) await this.complete(world, this.#pick(links))
      else if (dice < 0.91) await this.reset()
      else if (dice < 0.95) await this.readSeed()
      else if (dice < 0.98) await this.create()
      else await this.delete()
    }
  }

  async find(world: string): Promise<void> {
    const call = await this.#call('POST', world, '/matchmaker/lobbies/find', { body: anyLobby })
    const token = call.outcome === 'ok' ? call.json.player.token : undefined
    this.#place.calls.push({ ...call.timed, kind: 'find', token })
    if (token !== undefined) this.#seats.push({ world, token })
  }

  /** Lists the seats of a world. Resolves with `false` if there was no answer. */
  async list(world: string, process?: number): Promise<boolean> {
    const call = await this.#call('GET', world, '/__mock/players', { process })
    const rows: readonly { player_token: string; lobby_id: string }[] = call.outcome === 'ok' ? call.json.players : []
    const seats = rows.map(({ player_token, lobby_id }): Seat => ({ token: player_token, lobby: lobby_id }))
    this.#place.calls.push({ ...call.timed, kind: 'list', seats })
    return call.outcome === 'ok'
  }

  /** Leaves the oldest seat, if it has one. */
  async leave(): Promise<void> {
    const [seat] = this.#seats.splice(0, 1)
    if (!seat) return
    const { world, token } = seat
    const call = await this.#call('DELETE', world, `/__mock/players/${token}`)
    this.#place.calls.push({ ...call.timed, kind: 'leave', token })
    if (call.status === 404) this.#place.problems.push(`${world}: the seat ${token} was lost before it was left`)
  }

  /** Asks for a link, and waits for another index than this one. Returns what the answer says, if there is one. */
  async watch(world: string, link: string, index?: bigint) {
    const query = `device_link_token=${link}${index === undefined ? '' : `&watch_index=${index}`}`
    const call = await this.#call('GET', world, '/cloud/devices/links', { query })
    if (call.outcome !== 'ok') return undefined
    const { watch, cloud_token } = call.json
    const seen = { index: BigInt(watch.index), isComplete: cloud_token !== undefined }
    this.#place.calls.push({ ...call.timed, kind: 'watch', link, ...seen })
    return seen
  }

  /** Watches until the link is complete. */
  async watchOn(world: string, link: string): Promise<void> {
    let seen: { readonly index: bigint; readonly isComplete: boolean } | undefined
    while (!seen?.isComplete) {
      seen = (await this.watch(world, link, seen?.index)) ?? seen
      await this.#place.pause(20)
    }
  }

  /** Completes a link. Resolves with `false` unless it is complete then. */
  async complete(world: string, link: string): Promise<boolean> {
    const call = await this.#call('POST', world, `/__mock/device-links/${link}/complete`, { body: {} })
    this.#place.calls.push({ ...call.timed, kind: 'complete', link })
    return call.outcome === 'ok' || call.status === 400
  }

  /** Creates the world that clients reset, or changes it. Resolves with `false` if there was no answer. */
  async create(): Promise<boolean> {
    const call = await this.#call('POST', this.#place.resetWorld, '/matchmaker/lobbies/find', { body: anyLobby })
    return call.outcome === 'ok'
  }

  /** Resets that world, if it exists. Resolves with `false` if it did not. */
  async reset(): Promise<boolean> {
    const seed = this.#pick(seeds)
    const call = await this.#call('POST', this.#place.resetWorld, '/__mock/reset', { body: { seed } })
    this.#place.calls.push({ ...call.timed, kind: 'reset', seed })
    return call.outcome === 'ok'
  }

  /** Deletes that world, if it exists. */
  async delete(): Promise<void> {
    const { resetWorld } = this.#place
    const call = await this.#call('DELETE', 'default', `/__mock/worlds/${resetWorld}`)
    this.#place.calls.push({ ...call.timed, world: resetWorld, kind: 'reset' })
  }

  /** Reads its seed. Resolves with `false` if there was no answer. */
  async readSeed(process?: number): Promise<boolean> {
    const call = await this.#call('GET', this.#place.resetWorld, '/__mock/world', { process })
    if (call.outcome === 'ok') this.#place.calls.push({ ...call.timed, kind: 'seed', seed: call.json.seed })
    return call.outcome === 'ok'
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#place.random() * items.length)] as Item // the list is not empty
  }

  async #call(
    method: string,
    world: string,
    path: string,
    { body, query = '', process }: { body?: object; query?: string; process?: number | undefined } = {},
  ) {
    const place = this.#place
    const began = place.nextOrder()
    const { wasSent, status, text } = await place.send(
      {
        method,
        path: world === 'default' ? path : `/w/${world}${path}`,
        query,
        body: body && JSON.stringify(body),
      },
      process,
    )
    const ended = place.nextOrder()
    const json = text === undefined || text === '' ? {} : JSON.parse(text)
    const outcome = outcomeOf(status, json.message, wasSent)
    if (status !== undefined && ![200, 400, 404, 503].includes(status))
      place.problems.push(`${method} ${path} was answered with ${status}: ${json.message}`)
    return { status, json, outcome, timed: { world, began, ended, outcome } }
  }
}

const anyLobby = { game_modes: ['duel'] }

function outcomeOf(status: number | undefined, message: string | undefined, wasSent: boolean): ClientCall['outcome'] {
  if (status === undefined) return wasSent ? 'unknown' : 'refused'
  if (status === 200) return 'ok'
  return status === 503 && message?.includes('unknown') ? 'unknown' : 'refused'
}

/** Completes all links, and reads all worlds at each process. Each call may fail some times. Notes what still fails. */
export async function finish(place: ClientPlace, processes: number): Promise<void> {
  const client = new WorldClient(place)
  const inTime = async (attempt: () => Promise<boolean>) => {
    for (let i = 0; i < 5; i++) {
      if (await attempt()) return true
      await place.pause(1_000)
    }
    return false
  }
  for (const world of place.worlds) {
    for (const link of place.links)
      if (!(await inTime(() => client.complete(world, link))))
        place.problems.push(`${world}: ${link} cannot be completed after the troubles`)
    for (let i = 0; i < processes; i++)
      if (!(await inTime(() => client.list(world, i))))
        place.problems.push(`${world}: no answer at process ${i} after the troubles`)
  }
  if (!(await inTime(() => client.create())) || !(await inTime(() => client.reset())))
    place.problems.push(`${place.resetWorld}: it cannot be reset after the troubles`)
  for (let i = 0; i < processes; i++)
    if (!(await inTime(() => client.readSeed(i))))
      place.problems.push(`${place.resetWorld}: no answer at process ${i} after the troubles`)
}
