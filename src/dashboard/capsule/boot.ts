// Opens the page of a copy: inflates its style, its script and its world. The script that this file becomes stands in the page as it is, and a
// browser of any age must read it.
{
  /** The part of the API that this script needs. Some browsers have none of it. */
  interface TrustedTypes {
    createPolicy(name: string, rules: { createScript(text: string): string }): { createScript(text: string): string }
  }
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes }
  const page = document.getElementById('page') as HTMLElement
  const elementOf = (id: string) => document.getElementById(id) as HTMLElement

  const fromBase64 = (base64: string) => {
    const text = atob(base64)
    const bytes = new Uint8Array(text.length)
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i)
    return bytes
  }

  /** The build writes the script in base 85, because it is 6 % smaller than in base 64: the letters from `(` to `}` without `<`. */
  const fromBase85 = (text: string) => {
    const missing = (5 - (text.length % 5)) % 5
    const whole = text + '}'.repeat(missing)
    const bytes = new DataView(new ArrayBuffer((whole.length / 5) * 4))
    for (let i = 0, group = 0; i < whole.length; i++) {
      const code = whole.charCodeAt(i)
      group = group * 85 + code - (code > 60 ? 41 : 40)
      if (i % 5 < 4) continue
      bytes.setUint32(((i - 4) / 5) * 4, group)
      group = 0
    }
    return new Uint8Array(bytes.buffer, 0, bytes.byteLength - missing)
  }

  const inflate = (name: string): Promise<string> => {
    const text = elementOf(`mockmaker-${name}`).textContent
    const bytes = name === 'page' ? fromBase85(text) : fromBase64(text)
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'))).text()
  }

  const open = async () => {
    const [css = '', app = '', world = ''] = await Promise.all(['style', 'page', 'world'].map(inflate))
    const worldElement = elementOf('mockmaker-world')
    const empty = worldElement.cloneNode() as HTMLElement
    worldElement.replaceWith(empty)
    page.replaceChildren()
    // The page of the next copy, without the styles of one that a browser has saved.
    for (const style of document.querySelectorAll('style')) style.remove()
    const html = `<!DOCTYPE html>\n${document.documentElement.outerHTML}\n`
    // A browser can save this page itself, with the world. Trusted types forbid to change the text of its element, and not its place.
    empty.replaceWith(worldElement)
    Object.assign(globalThis, { mockmaker: { world, html } })
    // The page allows one policy, and this is it: no other script can make one.
    const policy = trustedTypes?.createPolicy('mockmaker', { createScript: text => text })
    const style = document.createElement('style')
    style.textContent = css
    const script = document.createElement('script')
    script.text = policy ? policy.createScript(app) : app
    document.head.append(style, script)
    script.remove()
  }

  const say = (text: string) => {
    ;(page.firstElementChild ?? page).textContent = text
  }
  if (typeof DecompressionStream === 'undefined')
    say(
      'This browser is too old to open the copy: it has no DecompressionStream. Take a newer one, or serve the file: mockmaker bug.html',
    )
  else open().catch(() => say('This file is damaged: get it again.'))
}
