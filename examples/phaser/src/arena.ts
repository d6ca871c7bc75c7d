import Phaser from 'phaser'
import type { Seat } from './matchmaker.ts'

/** The place of a player, in px. */
export interface Place {
  readonly x: number
  readonly y: number
}

/** The message of the game server after each move: the players by their ids, and the id of this one. */
interface World {
  readonly you: string
  readonly players: Readonly<Record<string, Place>>
}

/** The steps of the keys, in px. */
const moves: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-10, 0],
  ArrowRight: [10, 0],
  ArrowUp: [0, -10],
  ArrowDown: [0, 10],
}

/** Shows the players of a lobby. The arrow keys move the own one. */
export class Arena extends Phaser.Scene {
  readonly #socket: WebSocket
  readonly #onChange: (world: World) => void
  readonly #circles = new Map<string, Phaser.GameObjects.Arc>()

  constructor(socket: WebSocket, onChange: (world: World) => void) {
    super('arena')
    this.#socket = socket
    this.#onChange = onChange
  }

  create(): void {
    this.#socket.addEventListener('message', ({ data }) => this.#show(JSON.parse(data)))
    document.addEventListener('keydown', this.#move)
    this.events.once('destroy', () => document.removeEventListener('keydown', this.#move))
    this.#socket.send(JSON.stringify({ look: true }))
  }

  /** A listener of the page: Phaser reads its keys once in a frame, and loses a short press. */
  readonly #move = (event: KeyboardEvent): void => {
    const [x, y] = moves[event.key] ?? []
    if (x === undefined) return
    event.preventDefault()
    this.#socket.send(JSON.stringify({ move: { x, y } }))
  }

  #show(world: World): void {
    for (const [id, circle] of this.#circles)
      if (!world.players[id]) {
        circle.destroy()
        this.#circles.delete(id)
      }
    for (const [id, { x, y }] of Object.entries(world.players)) {
      const circle = this.#circles.get(id) ?? this.add.circle(x, y, 12, id === world.you ? 0x3355dd : 0xdd5533)
      this.#circles.set(id, circle.setPosition(x, y))
    }
    this.#onChange(world)
  }
}

/** Connects to the game server of a seat. Rejects if it takes no player with this token. */
export function connect({ ports, player }: Seat): Promise<WebSocket> {
  const [{ host } = {}] = Object.values(ports)
  const socket = new WebSocket(`ws://${host}`)
  return new Promise((resolve, reject) => {
    socket.addEventListener('open', () => socket.send(JSON.stringify({ token: player.token })))
    socket.addEventListener('message', () => resolve(socket), { once: true })
    socket.addEventListener('close', ({ reason }) => reject(new Error(reason || 'the game server is away')))
  })
}

/** Starts the game in an element. */
export function startGame(parent: string, arena: Arena): Phaser.Game {
  return new Phaser.Game({ type: Phaser.CANVAS, width: 400, height: 300, parent, scene: arena, banner: false })
}
