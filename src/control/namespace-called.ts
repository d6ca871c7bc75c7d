import { didYouMean } from '../lib/did-you-mean.js'
import { quoted } from '../lib/quote.js'
import { UsageError } from '../lib/usage-error.js'
import { defaultNamespace } from '../store/default-namespace.js'
import { fullNameOf } from '../store/full-name.js'
import type { NamespaceRow } from '../store/rows.js'
import type { ReadTables } from '../store/table.js'

/** The namespace of that id, or called `<game>/<namespace>`; without a name the default one. Throws `UsageError` where there is none. */
export function namespaceCalled(name: string | undefined, tables: ReadTables): NamespaceRow {
  const found = name === undefined ? defaultNamespace(tables) : (tables.namespaces.get(name) ?? named(name, tables))
  if (found) return found
  const known = tables.namespaces.all().map(({ namespace_id }) => fullNameOf(namespace_id, tables))
  if (name === undefined)
    throw new UsageError(`namespace is missing, and the world has no default one.${didYouMean('', known)}`)
  throw new UsageError(`namespace is ${quoted(name)}, which does not exist.${didYouMean(name, known)}`)
}

function named(name: string, tables: ReadTables): NamespaceRow | undefined {
  return tables.namespaces.all().find(({ namespace_id }) => fullNameOf(namespace_id, tables) === name)
}
