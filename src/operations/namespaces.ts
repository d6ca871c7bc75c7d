import { ApiError } from '../contract/errors.js'
import {
  displayNameMaxBytes,
  HostName,
  identifierMaxBytes,
  isDisplayName,
  isIdentifier,
  utf8Length,
} from '../contract/formats.js'
import type { Namespace, ValidationError } from '../contract/namespaces.js'
import type { OperationInput } from '../contract/operations.js'
import { didYouMean } from '../lib/did-you-mean.js'
import { quoted } from '../lib/quote.js'
import { frozenCopy } from '../store/json-copy.js'
import type { Tables } from '../store/model.js'
import { createRow } from '../store/models.js'
import type { NamespaceRow } from '../store/rows.js'
import { matchmakerDefaults } from '../store/rows.js'
import { findGame, namespaceSummary } from './games.js'
import { type Resolver, refuseInvalid } from './resolver.js'

/**
 * Creates a namespace with the game modes of the first one of its game (PROTOCOL.md C). As in the real service, the new
 * namespace needs a token, and has no domains and no tokens yet.
 */
export const createNamespace: Resolver<'games.namespaces.createGameNamespace'> = call => {
  const { input, tables } = call
  const { display_name, name_id, version_id } = input
  const { game_id } = findGame(input.game_id, tables)
  refuseInvalid('the namespace', nameErrors(input, tables))
  const [first] = tables.namespaces.inIndex('game_id', { game_id })
  const { namespace_id } = createRow(
    'namespaces',
    { game_id, name_id, display_name, version_id, tokenless: false },
    call,
  )
  if (first)
    for (const mode of tables.gameModes.inIndex('namespace_id', { namespace_id: first.namespace_id }))
      tables.gameModes.put(Object.freeze({ ...mode, namespace_id }))
  return { namespace_id }
}

/** Returns a namespace (PROTOCOL.md C). */
export const getNamespace: Resolver<'games.namespaces.getGameNamespaceById'> = ({ input, tables }) => {
  const namespace = findNamespace(input, tables)
  return {
    namespace: {
      ...namespaceSummary(namespace),
      config: { cdn: cdnConfig(namespace, tables), matchmaker: matchmakerConfig(namespace), kv: {}, identity: {} },
    },
  }
}

/** Sets the version that a namespace runs (PROTOCOL.md C). */
export const updateNamespaceVersion: Resolver<'games.namespaces.updateGameNamespaceVersion'> = ({ input, tables }) => {
  change(findNamespace(input, tables), { version_id: input.version_id }, tables)
  return {}
}

/** Sets how many lobbies a namespace may have, and how many players may come from one client address (PROTOCOL.md B6). */
export const updateMatchmakerConfig: Resolver<'games.namespaces.updateGameNamespaceMatchmakerConfig'> = ({
  input,
  tables,
}) => {
  const { lobby_count_max, max_players } = input
  change(findNamespace(input, tables), { lobby_count_max, max_players }, tables)
  return undefined
}

/** Validates such numbers: nothing is wrong with them, if they could be read (PROTOCOL.md C). */
export const validateMatchmakerConfig: Resolver<'games.namespaces.validateGameNamespaceMatchmakerConfig'> = () => ({
  errors: [],
})

/** Allows or forbids the pages of a namespace to call without a token (PROTOCOL.md C). */
export const toggleDomainPublicAuth: Resolver<'games.namespaces.toggleNamespaceDomainPublicAuth'> = ({
  input,
  tables,
}) => {
  change(findNamespace(input, tables), { tokenless: input.enabled }, tables)
  return {}
}

/** Adds a domain to a namespace. Does nothing where the namespace has it (PROTOCOL.md C). */
export const addDomain: Resolver<'games.namespaces.addNamespaceDomain'> = ({ input, tables }) => {
  const namespace = findNamespace(input, tables)
  const domain = input.domain.toLowerCase()
  refuseInvalid(`the domain ${quoted(input.domain)}`, domainErrors(domain, namespace, tables))
  if (!namespace.domains.includes(domain)) change(namespace, { domains: [...namespace.domains, domain] }, tables)
  return {}
}

/** Removes a domain from a namespace. Does nothing where the namespace does not have it (PROTOCOL.md C). */
export const removeDomain: Resolver<'games.namespaces.removeNamespaceDomain'> = ({ input, tables }) => {
  const namespace = findNamespace(input, tables)
  const domain = input.domain.toLowerCase()
  change(namespace, { domains: namespace.domains.filter(one => one !== domain) }, tables)
  return {}
}

/** Validates the names of a new namespace (PROTOCOL.md B5). */
export const validateNamespace: Resolver<'games.namespaces.validateGameNamespace'> = ({ input, tables }) => ({
  errors: nameErrors(input, tables),
})

/** Finds the namespace of a game. Throws `ApiError` where there is none, or where it is another game's (PROTOCOL.md B6). */
export function findNamespace(
  { game_id, namespace_id }: Pick<NamespaceRow, 'game_id' | 'namespace_id'>,
  { namespaces }: Pick<Tables, 'namespaces'>,
): NamespaceRow {
  const found = namespaces.get(namespace_id)
  if (found?.game_id === game_id) return found
  const known = namespaces.inIndex('game_id', { game_id }).map(namespace => namespace.namespace_id)
  throw new ApiError(
    'NAMESPACE_NOT_FOUND',
    `game ${quoted(game_id)} has no namespace ${quoted(namespace_id)}.${didYouMean(namespace_id, known)}`,
  )
}

function change(namespace: NamespaceRow, columns: Partial<NamespaceRow>, { namespaces }: Tables): void {
  namespaces.put(frozenCopy({ ...namespace, ...columns }))
}

function domainErrors(domain: string, { namespace_id }: NamespaceRow, { namespaces }: Tables): ValidationError[] {
  if (!HostName.safeParse(domain).success) return [{ path: ['domain', 'invalid'] }]
  const owner = namespaces.withUnique('domains', domain)
  return owner && owner.namespace_id !== namespace_id ? [{ path: ['domain', 'not-unique'] }] : []
}

/** Lists the validation errors of the names of a new namespace, in this order (PROTOCOL.md B5). */
function nameErrors(
  { display_name, name_id, game_id }: OperationInput<'games.namespaces.validateGameNamespace'>,
  { namespaces }: Pick<Tables, 'namespaces'>,
): ValidationError[] {
  const isNameId = isIdentifier(name_id)
  const errors = [
    display_name === '' && ['display-name', 'too-short'],
    utf8Length(display_name) > displayNameMaxBytes && ['display-name', 'too-long'],
    !isDisplayName(display_name) && ['display-name', 'invalid'],
    name_id === '' && ['name-id', 'too-short'],
    utf8Length(name_id) > identifierMaxBytes && ['name-id', 'too-long'],
    isNameId && namespaces.withUnique('name_id', `${game_id}\0${name_id}`) && ['name-id', 'not-unique'],
    !isNameId && ['name-id', 'invalid'],
  ]
  return errors.flatMap(path => (Array.isArray(path) ? [{ path }] : []))
}

function cdnConfig(namespace: NamespaceRow, { games, settings }: Tables): Namespace['config']['cdn'] {
  const { create_ts } = namespaceSummary(namespace)
  const cname_record = `${games.get(namespace.game_id)?.name_id}--${namespace.name_id}.${settings.get('settings')?.cdn_domain}`
  return {
    enable_domain_public_auth: namespace.tokenless,
    domains: namespace.domains.map(domain => ({
      domain,
      create_ts,
      verification_status: 'active',
      verification_method: { http: { cname_record } },
      verification_errors: [],
    })),
    auth_type: 'none',
    auth_user_list: [],
  }
}

function matchmakerConfig({ lobby_count_max, max_players }: NamespaceRow): Namespace['config']['matchmaker'] {
  const most = max_players ?? matchmakerDefaults.max_players
  return {
    lobby_count_max,
    max_players_per_client: most,
    max_players_per_client_vpn: most,
    max_players_per_client_proxy: most,
    max_players_per_client_tor: most,
    max_players_per_client_hosting: most,
  }
}
