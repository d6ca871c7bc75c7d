'use client'

import { useState } from 'react'
import { openLobbies } from './lobbies.js'

export function LiveLobbies() {
  const [lobbies, setLobbies] = useState([])
  const refresh = async () => setLobbies(await openLobbies())
  return (
    <>
      <button type="button" onClick={refresh}>
        Refresh
      </button>
      <p id="from-page">{lobbies.join(' ')}</p>
    </>
  )
}
