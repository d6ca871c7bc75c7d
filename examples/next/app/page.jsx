import { LiveLobbies } from './live-lobbies.jsx'
import { openLobbies } from './lobbies.js'
import { PageMock } from './page-mock.jsx'

export const dynamic = 'force-dynamic'

export default async function Page() {
  const lobbies = await openLobbies()
  return (
    <>
      <h1>Open lobbies</h1>
      <p id="from-server">{lobbies.join(' ')}</p>
      <PageMock>
        <LiveLobbies />
      </PageMock>
    </>
  )
}
