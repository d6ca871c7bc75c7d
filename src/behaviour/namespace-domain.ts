import { HostName } from '../contract/formats.js'
import type { ValidationError } from '../contract/namespaces.js'
import { quoted } from '../lib/quote.js'
import type { NamespaceRow } from '../store/rows.js'
import type { ReadTables, Tables } from '../store/table.js'
import type { Behaviour } from './behaviour.js'
import { namespaceOf } from './namespace-of.js'
import { refuseInvalid } from './refuse-invalid.js'

/** Says whether the pages of a namespace may call without a token (PROTOCOL.md C). */
export const toggleDomainPublicAuth: Behaviour<'games.namespaces.toggleNamespaceDomainPublicAuth'> = async ({
  input,
  tables,
}) => {
  await change(namespaceOf(input, tables), { to: { tokenless: input.enabled }, tables })
  return {}
}

/** Gives a namespace a domain; nothing where it has it already (PROTOCOL.md C). */
export const addDomain: Behaviour<'games.namespaces.addNamespaceDomain'> = async ({ input, tables }) => {
  const namespace = namespaceOf(input, tables)
  const domain = hostNameOf(input.domain)
  refuseInvalid(`the domain ${quoted(input.domain)}`, domainProblems(domain, { namespace, tables }))
  if (namespace.domains.includes(domain)) return {}
  await change(namespace, { to: { domains: [...namespace.domains, domain] }, tables })
  return {}
}

/** Takes a domain from a namespace; nothing where it does not have it (PROTOCOL.md C). */
export const removeDomain: Behaviour<'games.namespaces.removeNamespaceDomain'> = async ({ input, tables }) => {
  const namespace = namespaceOf(input, tables)
  const domain = hostNameOf(input.domain)
  await change(namespace, { to: { domains: namespace.domains.filter(one => one !== domain) }, tables })
  return {}
}

/** A domain as an Origin names it. */
function hostNameOf(domain: string): string {
  return domain.toLowerCase()
}

/** Whose a domain is to be. */
interface Claim {
  readonly namespace: NamespaceRow
  readonly tables: ReadTables
}

function domainProblems(domain: string, { namespace, tables }: Claim): ValidationError[] {
  if (!HostName.safeParse(domain).success) return [{ path: ['domain', 'invalid'] }]
  const others = tables.namespaces.all().filter(other => other.namespace_id !== namespace.namespace_id)
  return others.some(other => other.domains.includes(domain)) ? [{ path: ['domain', 'not-unique'] }] : []
}

/** New values of columns, and where they belong. */
interface Change {
  readonly to: Partial<NamespaceRow>
  readonly tables: Tables
}

async function change({ namespace_id }: NamespaceRow, { to, tables }: Change): Promise<void> {
  await tables.namespaces.update(q => q.where({ namespace_id }), {
    data(namespace) {
      Object.assign(namespace, to)
    },
  })
}
