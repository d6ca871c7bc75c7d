/**
 * Completes a device link from its page: each button has the game and its cloud token, and the main element the link.
 * The address is relative to the page's, `/devices/link/{token}`, wherever that is mounted.
 */
export const deviceLinkScript = `
const main = document.querySelector('main')
const state = document.querySelector('.state')
const choice = document.querySelector('.choice')
const report = document.querySelector('[role=status]')
const buttons = [...document.querySelectorAll('button')]

async function complete({ gameId, gameName, token }) {
  const response = await fetch('../../cloud/devices/links/complete', {
    method: 'POST',
    headers: { authorization: 'Bearer ' + token, 'content-type': 'application/json' },
    body: JSON.stringify({ device_link_token: main.dataset.link, game_id: gameId }),
  })
  const { message } = await response.json()
  if (!response.ok) throw new Error(message)
  state.textContent = 'Complete'
  state.dataset.state = 'complete'
  choice.remove()
  tell('done', 'The device now has a cloud token of ' + gameName + '. You may close this page.')
  report.focus()
}

function tell(state, text) {
  report.dataset.state = state
  report.textContent = text
}

for (const button of buttons) {
  button.addEventListener('click', async () => {
    for (const one of buttons) one.disabled = true
    tell('busy', 'Completing the link …')
    try {
      await complete(button.dataset)
    } catch (error) {
      tell('failed', 'That did not work: ' + error.message)
      for (const one of buttons) one.disabled = false
      button.focus()
    }
  })
}
`

/** By which a content security policy lets the script in: base64 of its SHA-256. */
export const deviceLinkScriptHash = 'sha256-xwLZdtzyVvNGl2iz/gQyEDNd54Q4WNLLSredz4FtcBk='
