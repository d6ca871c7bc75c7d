import { useSignal } from '@preact/signals'
import { fullNameOf } from '../../core/store/namespaces.js'
import type { TokenRow } from '../../core/store/rows.js'
import { clients } from '../requests/client-code.js'
import { CodeBlock, Parts, Select } from '../ui/controls.js'
import type { RowMaps } from '../world/followed-world.js'
import { page } from '../world/page-state.js'

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
          <CodeBlock
            label={`Code for ${name.value}`}
            text={client.code({ url: page.api.url, token: token || undefined, mode: page.modeName() })}
          />
        </>
      )}
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
