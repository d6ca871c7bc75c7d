import { signal } from '@preact/signals'
import { shellWord } from '../../core/lib/messages.js'
import { CodeBlock, Parts } from '../ui/controls.js'

// The clients, and the code that points each at the mock.

interface Target {
  readonly url: string
  readonly token: string | undefined
  /** The game mode of a find. */
  readonly mode: string
}

const bodyOf = (mode: string) => JSON.stringify({ game_modes: [mode] })

export const clients: { readonly [name: string]: { note: string; code(target: Target): string } } = {
  Godot: {
    note: 'Start the game, or the editor, from a shell with these variables.',
    code: ({ url, token }) =>
      `export RIVET_API_ENDPOINT=${url}\n${token === undefined ? '' : `export RIVET_TOKEN=${token}\n`}godot --path .`,
  },
  Unity: {
    note: 'Allow plain HTTP in the Player Settings.',
    code: ({ url, token }) => `// Assets/MockMatchmaker.cs
using UnityEngine;

static class MockMatchmaker
{
    [RuntimeInitializeOnLoadMethod(RuntimeInitializeLoadType.BeforeSceneLoad)]
    static void Use()
    {
        PlayerPrefs.SetString("ApiEndpoint", "${url}");
        PlayerPrefs.SetString("RIVET_EDITOR_TOKEN", "${token ?? ''}");
    }
}`,
  },
  Unreal: {
    note: 'Set the URL and the token in the configuration of the game.',
    code: ({ url, token }) => `; Config/DefaultGame.ini
[/Script/Rivet.RivetClient]
DefaultMatchmakerUrl=${url}/matchmaker
DefaultToken=${token ?? ''}`,
  },
  JavaScript: {
    note: 'Install the client with npm install @rivet-gg/api@23.2.0-rc1.',
    code: ({ url, token }) => `import { RivetClient } from "@rivet-gg/api"

const client = new RivetClient({
  environment: "${url}",${token === undefined ? '' : `\n  token: "${token}",`}
})

const { lobbies } = await client.matchmaker.lobbies.list()`,
  },
  fetch: {
    note: 'A page.',
    code: ({ url, token, mode }) => `await fetch("${url}/matchmaker/lobbies/find", {
  method: "POST",${token === undefined ? '' : `\n  headers: { authorization: "Bearer ${token}" },`}
  body: JSON.stringify(${bodyOf(mode)}),
})`,
  },
  MSW: {
    note: 'A handler.',
    code: ({ url, token }) => `import { http } from "msw"

http.all("https://your.api/*", ({ request }) => {
  const { pathname, search } = new URL(request.url)
  const call = new Request("${url}" + pathname + search, request)${
    token === undefined ? '' : `\n  call.headers.set("authorization", "Bearer ${token}")`
  }
  return fetch(call)
})`,
  },
  curl: {
    note: 'A shell.',
    code: ({ url, token, mode }) => `curl -X POST \\
  ${url}/matchmaker/lobbies/find \\${token === undefined ? '' : `\n  -H 'authorization: Bearer ${token}' \\`}
  -H 'content-type: application/json' \\
  -d ${shellWord(bodyOf(mode))}`,
  },
  PowerShell: {
    note: 'Any PowerShell.',
    code: ({ url, token }) =>
      `Invoke-RestMethod ${token === undefined ? '' : `-Headers @{ Authorization = 'Bearer ${token}' } `}${url}/matchmaker/lobbies/list`,
  },
}

const firstClients = ['curl', 'fetch', 'Godot', 'Unity', 'MSW']
const chosen = signal('curl')

/** The code of the first request, in tabs. */
export function FirstCode(target: Target) {
  return (
    <div class="connect">
      <Parts label="Code" parts={firstClients.map(name => [name, name])} chosen={chosen} />
      <CodeBlock label={`Code for ${chosen.value}`} text={clients[chosen.value]?.code(target) ?? ''} />
    </div>
  )
}
