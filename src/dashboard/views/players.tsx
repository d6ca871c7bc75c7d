import { page } from '../page-state.js'

/** The players of the world, and their stories. */
export function Players() {
  const { players } = page.shown.value.tables
  return (
    <section class="pane players" aria-labelledby="players">
      <header class="bar">
        <h2 id="players">Players</h2>
      </header>
      <p class="empty">
        {players.size === 0
          ? 'No players yet. Each find tells a story here.'
          : 'The lobbies list their players. Choose one in the world.'}
      </p>
    </section>
  )
}
