/** The key of the token in the storage of the tab. Other tabs do not see it, and it goes with the tab. */
const key = 'mockmaker control token'

/** The token, if the browser allows no storage. */
let kept: string | undefined

/** Returns the control token of this tab. */
export function controlToken(): string | undefined {
  try {
    return sessionStorage.getItem(key) ?? kept
  } catch {
    return kept
  }
}

/** Keeps the control token for this tab. */
export function keepControlToken(token: string): void {
  kept = token
  try {
    sessionStorage.setItem(key, token)
  } catch {
    // A reload of the page asks for it again.
  }
}

/** Takes the token from a link such as `/#token=…`, and removes it from the address: no log and no bookmark shall have it. */
export function takeTokenFromAddress(): void {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (!token) return
  keepControlToken(token)
  history.replaceState(history.state, '', location.pathname + location.search)
}
