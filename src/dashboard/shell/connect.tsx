import { useSignal } from '@preact/signals'
import { fullNameOf } from '../../core/store/namespaces.js'
import type { TokenRow } from '../../core/store/rows.js'
import { CodeBlock, Parts, Select } from '../ui/controls.js'
import type { RowMaps } from '../world/followed-world.js'
import { page } from '../world/page-state.js'

/** The clients, and the code that points each at the mock. */
const clients: { readonly [name: string]: { note: string; code(url: string, token: string | undefined): string } } = {
  Godot: {
    note: 'Start the game, or the editor, from a shell with these variables.',
    code: (url, token) =>
      `export RIVET_API_ENDPOINT=${url}\n${token === undefined ? '' : `export RIVET_TOKEN=${token}\n`}godot --path .`,
  },
  Unity: {
    note: 'Allow plain HTTP in the Player Settings.',
    code: (url, token) => `// Assets/MockMatchmaker.cs
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
    code: (url, token) => `; Config/DefaultGame.ini
[/Script/Rivet.RivetClient]
DefaultMatchmakerUrl=${url}/matchmaker
DefaultToken=${token ?? ''}`,
  },
  JavaScript: {
    note: 'Install the client with npm install @rivet-gg/api@23.2.0-rc1.',
    code: (url, token) => `import { RivetClient } from "@rivet-gg/api"

const client = new RivetClient({
  environment: "${url}",${token === undefined ? '' : `\n  token: "${token}",`}
})

const { lobbies } = await client.matchmaker.lobbies.list()`,
  },
  curl: {
    note: 'A shell on this machine.',
    code: (url, token) =>
      `curl ${token === undefined ? '' : `-H 'Authorization: Bearer ${token}' `}${url}/matchmaker/lobbies/list`,
  },
  PowerShell: {
    note: 'Windows PowerShell and PowerShell 7.',
    code: (url, token) =>
      `Invoke-RestMethod ${token === undefined ? '' : `-Headers @{ Authorization = 'Bearer ${token}' } `}${url}/matchmaker/lobbies/list`,
  },
}

/** Tells how to connect a client, with the URL and a token of this world. */
export function ConnectGuide() {
  const { tables } = page.shown.value
  const name = useSignal('Godot')
  const chosen = useSignal<string | undefined>(undefined)
  const tokens = [...tables.tokens.values()].sort((one, other) => kinds.indexOf(one.kind) - kinds.indexOf(other.kind))
  const token = chosen.value ?? tokens[0]?.token
  const client = clients[name.value]
  return (
    <div class="connect">
      <Parts label="Clients" parts={Object.keys(clients).map(one => [one, one])} chosen={name} />
      <label>
        Token
        <Select
          value={token}
          options={[...tokens.map(row => [row.token, tokenWords(row, tables)] as const), ['', 'none']]}
          onChange={value => (chosen.value = value)}
        />
      </label>
      {client && (
        <>
          <p class="muted">{client.note}</p>
          <CodeBlock label={`Code for ${name.value}`} text={client.code(page.api.url, token || undefined)} />
        </>
      )}
      <FirstClient />
    </div>
  )
}

const kinds: readonly TokenRow['kind'][] = ['public', 'development', 'cloud']

function tokenWords(row: TokenRow, tables: RowMaps): string {
  const owner =
    row.kind === 'cloud'
      ? (tables.games.get(row.game_id)?.name_id ?? row.game_id)
      : fullNameOf(row.namespace_id, tables)
  const token = row.token.length > 40 ? `${row.token.slice(0, 39)}…` : row.token
  return `${row.kind} of ${owner}: ${token}`
}

/** The longest name of a client that is shown. */
const longestName = 60

function FirstClient() {
  const { exchanges } = page.live
  const first = exchanges.value[0]
  if (!first) return <p class="waiting">Waiting for the first request…</p>
  const agent = [first.headers['user-agent']].flat()[0] ?? 'a client'
  return (
    <p class="good" dir="auto">
      Connected: {agent.slice(0, longestName)} asked for {first.operation ?? first.path}.
    </p>
  )
}
