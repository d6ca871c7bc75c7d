import { ApiError } from '../contract/errors.js'
import { HostName, isDisplayName, isIdentifier, utf8Length } from '../contract/formats.js'
import { limits } from '../contract/limits.js'
import type { Namespace, Port, ValidationError } from '../contract/namespaces.js'
import type { OperationInput } from '../contract/operations.js'
import { frozenCopy } from '../lib/json.js'
import { didYouMean, quoted } from '../lib/messages.js'
import type { Tables } from '../store/model.js'
import { createRow } from '../store/models.js'
import { matchmakerDefaults, type NamespaceRow } from '../store/rows.js'
import { findGame, namespaceSummary } from './games.js'
import type { Resolver } from './resolver.js'

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
  updateNamespace(findNamespace(input, tables), { version_id: input.version_id }, tables)
  return {}
}

/** Sets the limits of a namespace: its lobbies, and the players from one client address (PROTOCOL.md B6). */
export const updateMatchmakerConfig: Resolver<'games.namespaces.updateGameNamespaceMatchmakerConfig'> = ({
  input,
  tables,
}) => {
  const { lobby_count_max, max_players } = input
  updateNamespace(findNamespace(input, tables), { lobby_count_max, max_players }, tables)
  return undefined
}

/** Validates the limits of a namespace. All numbers that the schema accepts are valid (PROTOCOL.md C). */
export const validateMatchmakerConfig: Resolver<'games.namespaces.validateGameNamespaceMatchmakerConfig'> = () => ({
  errors: [],
})

/** Allows or forbids the pages of a namespace to call without a token (PROTOCOL.md C). */
export const toggleDomainPublicAuth: Resolver<'games.namespaces.toggleNamespaceDomainPublicAuth'> = ({
  input,
  tables,
}) => {
  updateNamespace(findNamespace(input, tables), { tokenless: input.enabled }, tables)
  return {}
}

/** Adds a domain to a namespace. Does nothing if the namespace has it (PROTOCOL.md C). */
export const addDomain: Resolver<'games.namespaces.addNamespaceDomain'> = ({ input, tables }) => {
  const namespace = findNamespace(input, tables)
  const domain = input.domain.toLowerCase()
  if (namespace.domains.includes(domain)) return {}
  checkNewDomain(domain, namespace, tables)
  updateNamespace(namespace, { domains: [...namespace.domains, domain] }, tables)
  return {}
}

/** Removes a domain from a namespace. Does nothing if the namespace does not have it (PROTOCOL.md C). */
export const removeDomain: Resolver<'games.namespaces.removeNamespaceDomain'> = ({ input, tables }) => {
  const namespace = findNamespace(input, tables)
  const domain = input.domain.toLowerCase()
  updateNamespace(namespace, { domains: namespace.domains.filter(one => one !== domain) }, tables)
  return {}
}

/** Validates the names of a new namespace (PROTOCOL.md B5). */
export const validateNamespace: Resolver<'games.namespaces.validateGameNamespace'> = ({ input, tables }) => ({
  errors: nameErrors(input, tables),
})

/** Finds the namespace of a game. Throws `ApiError` if the game has no such namespace (PROTOCOL.md B6). */
function findNamespace(
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

function updateNamespace(namespace: NamespaceRow, columns: Partial<NamespaceRow>, { namespaces }: Tables): void {
  namespaces.put(frozenCopy({ ...namespace, ...columns }))
}

function checkNewDomain(domain: string, { domains }: NamespaceRow, { namespaces }: Tables): void {
  if (!HostName.safeParse(domain).success)
    throw new ApiError(
      'CDN_INVALID_DOMAIN',
      `the domain ${quoted(domain)} is no host name: send one without scheme, port and path, as in tanks.example`,
    )
  const { most } = limits.domains
  if (domains.length >= most)
    throw new ApiError('CDN_TOO_MANY_DOMAINS', `the namespace has ${most} domains already: remove one first`)
  const owner = namespaces.withUnique('domains', domain)
  if (owner)
    throw new ApiError(
      'CLOUD_HOSTNAME_TAKEN',
      `the domain ${quoted(domain)} belongs to namespace ${quoted(owner.name_id)}: remove it there first`,
    )
}

/** Lists the validation errors of the names of a new namespace, in this order (PROTOCOL.md B5). */
function nameErrors(
  { display_name, name_id, game_id }: OperationInput<'games.namespaces.validateGameNamespace'>,
  { namespaces }: Pick<Tables, 'namespaces'>,
): ValidationError[] {
  const isNameId = isIdentifier(name_id)
  const errors = [
    display_name === '' && ['display-name', 'too-short'],
    utf8Length(display_name) > limits.displayNameBytes.most && ['display-name', 'too-long'],
    !isDisplayName(display_name) && ['display-name', 'invalid'],
    name_id === '' && ['name-id', 'too-short'],
    utf8Length(name_id) > limits.identifierBytes.most && ['name-id', 'too-long'],
    isNameId && namespaces.withUnique('name_id', `${game_id}\0${name_id}`) && ['name-id', 'not-unique'],
    !isNameId && ['name-id', 'invalid'],
  ]
  return errors.flatMap(path => (Array.isArray(path) ? [{ path }] : []))
}

const mostListed = 10

/** Throws `ApiError` if there are validation errors. The message names the subject and the first ten errors (PROTOCOL.md C). */
function refuseInvalid(subject: string, errors: readonly ValidationError[]): void {
  if (errors.length === 0) return
  const texts = errors.slice(0, mostListed).map(({ path }) => path.join(' '))
  const more = errors.length > mostListed ? ` and ${errors.length - mostListed} more` : ''
  throw new ApiError(
    'VALIDATION_ERROR',
    `${subject} is not valid: ${texts.join(', ')}${more}. metadata.errors lists all problems`,
    { metadata: { errors } },
  )
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

/** Creates a development token, which carries the host name and the ports of its own game server (PROTOCOL.md B2, C). */
export const createDevelopmentToken: Resolver<'games.namespaces.createGameNamespaceTokenDevelopment'> = call => {
  const { input, tables } = call
  const { namespace_id } = findNamespace(input, tables)
  const ports = sentPorts(input)
  refuseInvalid('the development token', portErrors(ports))
  const development = { hostname: input.hostname, lobby_ports: ports }
  const { token } = createRow('tokens', { kind: 'development', namespace_id, development }, call)
  return { token }
}

/** Creates a public token (PROTOCOL.md C). */
export const createPublicToken: Resolver<'games.namespaces.createGameNamespaceTokenPublic'> = call => {
  const { namespace_id } = findNamespace(call.input, call.tables)
  const { token } = createRow('tokens', { kind: 'public', namespace_id }, call)
  return { token }
}

type SentPorts = Pick<OperationInput<'games.namespaces.createGameNamespaceTokenDevelopment'>, 'ports' | 'lobby_ports'>

function sentPorts({ ports, lobby_ports }: SentPorts): Port[] {
  if (lobby_ports) return lobby_ports
  return Object.entries(ports ?? {}).map(([label, { port, port_range, protocol }]) => ({
    label,
    target_port: port,
    port_range,
    proxy_protocol: protocol,
  }))
}

/** Validates the ports of a new development token (PROTOCOL.md B5). */
export const validateDevelopmentToken: Resolver<'games.namespaces.validateGameNamespaceTokenDevelopment'> = ({
  input,
}) => ({ errors: portErrors(input.lobby_ports) })

/** Lists the validation errors of ports: those of each port add up (PROTOCOL.md B5). */
function portErrors(ports: readonly Port[]): ValidationError[] {
  const tooMany = ports.length > limits.ports.most ? [{ path: ['ports-too-many'] }] : []
  const labels = new Set<string>()
  const targets = new Set<string>()
  const ranges: Range[] = []
  const perPort = ports.flatMap((port, i) => {
    const { label, target_port, proxy_protocol } = port
    const target = target_port === undefined ? undefined : `${target_port}/${proxy_protocol}`
    const errors = [
      ...(isIdentifier(label) ? repetition(label, labels, 'label-not-unique') : ['label-invalid']),
      ...(target === undefined ? [] : repetition(target, targets, 'port-protocol-not-unique')),
      ...rangeErrors(port, ranges),
    ]
    return errors.map(error => ({ path: ['ports', String(i), error] }))
  })
  return [...tooMany, ...perPort]
}

type Range = NonNullable<Port['port_range']>

function repetition(text: string, seen: Set<string>, error: string): string[] {
  if (seen.has(text)) return [error]
  seen.add(text)
  return []
}

/** Compares ranges across protocols, and reversed ranges too, as the real service does. Adds the range to `earlier`. */
function rangeErrors({ target_port, port_range: range, proxy_protocol }: Port, earlier: Range[]): string[] {
  if (target_port !== undefined) return range ? ['duplicate-port-and-port-range'] : []
  if (!range) return ['missing-port-and-port-range']
  if (proxy_protocol !== 'tcp' && proxy_protocol !== 'udp') return ['unsupported-port-range']
  const overlaps = earlier.some(({ min, max }) => min <= range.max && range.min <= max)
  earlier.push(range)
  return [...(range.min > range.max ? ['range-min-gt-max'] : []), ...(overlaps ? ['ranges-overlap'] : [])]
}
