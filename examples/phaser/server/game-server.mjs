import { WebSocketServer } from 'ws'

// The mock, and the real service, start this program with the variables of its lobby.
const { RIVET_API_ENDPOINT, RIVET_TOKEN, PORT_default } = process.env

const call = (path, body = {}) =>
  fetch(`${RIVET_API_ENDPOINT}/matchmaker${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${RIVET_TOKEN}` },
    body: JSON.stringify(body),
  })

/** The players by their sockets. */
const players = new Map()
let lastId = 0

const clamp = (value, most) => Math.min(Math.max(value, 0), most)

function tellAll() {
  const places = Object.fromEntries([...players.values()].map(({ id, x, y }) => [id, { x, y }]))
  for (const [socket, { id }] of players) socket.send(JSON.stringify({ you: id, players: places }))
}

/** The first message of a player is its token. The others are moves. */
async function receive(socket, data) {
  const { token, move } = JSON.parse(data)
  const player = players.get(socket)
  if (player && move) {
    player.x = clamp(player.x + move.x, 400)
    player.y = clamp(player.y + move.y, 300)
  } else if (!player && token) {
    const { ok } = await call('/players/connected', { player_token: token })
    if (!ok) return socket.close(4001, 'the matchmaker does not know this player')
    // The socket may have closed meanwhile.
    if (socket.readyState !== socket.OPEN) return call('/players/disconnected', { player_token: token })
    players.set(socket, { id: String(++lastId), token, x: 50 + 60 * lastId, y: 150 })
  }
  tellAll()
}

const server = new WebSocketServer({ port: PORT_default })
server.on('connection', socket => {
  socket.on('message', data => receive(socket, data).catch(error => socket.close(1011, error.message)))
  socket.on('close', async () => {
    const player = players.get(socket)
    if (!player) return
    players.delete(socket)
    tellAll()
    await call('/players/disconnected', { player_token: player.token })
  })
})
server.on('listening', async () => {
  await call('/lobbies/ready')
  console.log('ready for players')
})
