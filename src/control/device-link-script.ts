/**
 * Completes a device link from its page, and follows it by its watch: each button has the game and its cloud token, and the
 * main element the link. A button can be pressed only while the mock answers and the link is pending.
 * Addresses are relative to the page's, `/devices/link/{token}`, wherever that is mounted.
 */
export const deviceLinkScript = `
const main = document.querySelector('main')
const state = document.querySelector('.state')
const choice = document.querySelector('.choice')
const report = document.querySelector('[role=status]')
const buttons = [...document.querySelectorAll('button')]
const { link } = main.dataset
const pause = ms => new Promise(resolve => setTimeout(resolve, ms))

let hasEnded = false
let completing
let watching

const ends = {
  TOKEN_EXPIRED: ['expired', 'Expired', 'The link has expired. Have the device prepare a new one.'],
  TOKEN_INVALID: ['unknown', 'Unknown', 'The mock no longer has this link. Have the device prepare a new one.'],
}

async function answerOf(response) {
  const body = await response.json()
  if (response.ok) return body
  throw Object.assign(new Error(body.message), { code: body.code, isRefusal: true })
}

function tell(kind, text) {
  report.dataset.state = kind
  report.textContent = text
}

function enable(isEnabled) {
  for (const button of buttons) button.disabled = !isEnabled
}

function end(name, title, text) {
  if (hasEnded) return
  hasEnded = true
  state.textContent = title
  state.dataset.state = name
  choice.remove()
  tell(name === 'complete' ? 'done' : 'failed', text)
}

function watch(index) {
  watching = new AbortController()
  const query = new URLSearchParams({ device_link_token: link, ...(index && { watch_index: index }) })
  return fetch('../../cloud/devices/links?' + query, { signal: watching.signal }).then(answerOf)
}

async function follow() {
  let index
  let isLost = true
  let wait = 500
  while (!hasEnded) {
    const asked = Date.now()
    try {
      const { cloud_token, watch: { index: next } } = await watch(index)
      // The press of a button tells itself what came of it.
      await completing
      if (cloud_token) end('complete', 'Complete', 'The link was completed elsewhere: the device has a cloud token. You may close this page.')
      else if (isLost && !hasEnded) {
        tell('', '')
        enable(true)
      }
      isLost = false
      wait = 500
      // A mock that is about to end answers at once.
      if (next === index && Date.now() - asked < 500) await pause(500)
      index = next
    } catch (error) {
      await completing
      if (error.code in ends) end(...ends[error.code])
      if (hasEnded) return
      isLost = true
      index = undefined
      enable(false)
      tell('failed', (error.isRefusal ? 'The mock refuses: ' + error.message : 'The mock does not answer.') + ' Trying again …')
      await pause(wait)
      wait = Math.min(2 * wait, 8000)
    }
  }
}

async function complete({ gameId, gameName, token }) {
  enable(false)
  tell('busy', 'Completing the link …')
  try {
    await fetch('../../cloud/devices/links/complete', {
      method: 'POST',
      headers: { authorization: 'Bearer ' + token, 'content-type': 'application/json' },
      body: JSON.stringify({ device_link_token: link, game_id: gameId }),
      signal: AbortSignal.timeout(10000),
    }).then(answerOf)
    end('complete', 'Complete', 'The device now has a cloud token of ' + gameName + '. You may close this page.')
    report.focus()
  } catch (error) {
    // Where the link has ended, or the mock is gone, the watch says so.
    if (error.isRefusal) offerReload(error.message)
    else watching.abort()
  }
}

function offerReload(message) {
  const again = document.createElement('button')
  again.type = 'button'
  again.textContent = 'Load the page again'
  again.addEventListener('click', () => location.reload())
  tell('failed', 'That did not work: ' + message)
  choice.replaceChildren(again)
  again.focus()
}

for (const button of buttons) {
  button.addEventListener('click', () => {
    completing = complete(button.dataset)
  })
}
follow()
`

/** By which a content security policy lets the script in: base64 of its SHA-256. */
export const deviceLinkScriptHash = 'sha256-jQCQNMjmlQooyzrNA3hEln05rWr9cDTVJXlJsaVgJmI='
