import { createServer } from 'node:net'

// The mock, and the real service, start this program with the variables of its lobby.
const { RIVET_API_ENDPOINT, RIVET_TOKEN, PORT_default } = process.env

const call = (path, body = {}) =>
  fetch(`${RIVET_API_ENDPOINT}/matchmaker${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${RIVET_TOKEN}` },
    body: JSON.stringify(body),
  })

// A player sends its token, and plays until it closes the connection.
const server = createServer(socket => {
  socket.on('error', () => {})
  socket.once('data', async data => {
    const body = { player_token: String(data).trim() }
    const closed = new Promise(resolve => socket.once('close', resolve))
    const { ok } = await call('/players/connected', body)
    socket.write(ok ? 'welcome\n' : 'who are you?\n')
    await closed
    if (ok) await call('/players/disconnected', body)
  })
})
server.listen(PORT_default, async () => {
  await call('/lobbies/ready')
  console.log('ready for players')
})
