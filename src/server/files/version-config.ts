import { basename } from 'node:path'
import * as z from 'zod'
import { yaml } from '#lazy'
import { PortRange, Uint32 } from '../../core/contract/formats.js'
import { ProxyProtocol } from '../../core/contract/namespaces.js'
import { issueText, likelyIssues, type Path } from '../../core/lib/issues.js'
import { isJsonObject } from '../../core/lib/json.js'
import { didYouMean, problemLines, UsageError } from '../../core/lib/messages.js'
import { isTomlConfig, versionConfigKeys } from '../../core/scenario/advice.js'
import { type Problem, problem } from '../../core/scenario/checks.js'
import type { Report } from '../../core/scenario/read.js'
import type { ScenarioInput } from '../../core/scenario/schema.js'
import { longestYaml, parseText } from '../../core/scenario/yaml.js'
import { Id, LobbyPort } from '../../core/store/columns.js'
import { catalogue, catalogueRegion } from '../../core/store/matchmaker-rows.js'

// The file with which the service deploys a version of a game: rivet.yaml, rivet.toml or rivet.json, and before
// rivet.version.toml. Its own command and its API read these keys.

type ModeInput = Exclude<NonNullable<ScenarioInput['game_modes']>[number], string>
type PortInput = NonNullable<NonNullable<ModeInput['ports']>['lobby_ports']>[number]

/** A scenario from a version config. */
export interface ConvertedConfig {
  readonly scenario: ScenarioInput
  /** The parts that the scenario does not have: lines that begin with file, line and column. */
  readonly leftOut: string
}

/**
 * Makes a scenario from a version config in YAML, TOML or JSON. Resolves with `undefined` if the text is something else. Rejects
 * with `UsageError` if it has a mistake of its language, or no game modes.
 */
export async function convertVersionConfig(text: string, file: string): Promise<ConvertedConfig | undefined> {
  // A recording may be long, and no message may have a part of it.
  if (text.length > longestYaml || !isLikely(text, file)) return undefined
  const isToml = /\.toml$/i.test(file) || isTomlConfig(text)
  const { content, report } = isToml ? await parseToml(text, file) : parseText(text, { file, yaml: yaml() })
  if (!isJsonObject(content)) return undefined
  const problems: Problem[] = []
  const scenario = { title: `From ${basename(file)}`, ...readConfig(new Section(content, [], problems)) }
  const leftOut = problems.length === 0 ? '' : (report?.(problems, problems.length) ?? '')
  if (scenario.game_modes.length === 0)
    throw new UsageError(`${file} has no game mode: expected at least one in matchmaker.game_modes\n${leftOut}`.trim())
  return { scenario, leftOut }
}

const keys = versionConfigKeys.join('|')
const keyInJson = new RegExp(`[{,]\\s*"(?:${keys})"\\s*:`)
const keyInYaml = new RegExp(`^["']?(?:${keys})["']?\\s*:`, 'm')

/** Tells whether a text may be a version config. A recording is none, however broken it is. */
function isLikely(text: string, file: string): boolean {
  if (/^\s*\{/.test(text)) return keyInJson.test(text) && !/^\s*\{\s*"log"/.test(text)
  return /\.toml$/i.test(file) || keyInYaml.test(text) || isTomlConfig(text)
}

/** Why the mock has no use for a key. */
const reasons = {
  pages: 'the mock serves no pages of games',
  command: 'it is for the command of the service',
  identities: 'the mock has no identities',
  storage: 'the mock has no key-value storage',
  scripts: 'servers.command of a scenario starts a game server',
  captcha: 'the mock asks for a captcha only where a fault says so',
  machines: 'the mock rents no machines',
  idle: 'the mock starts a lobby when a player needs one',
  image: 'the mock builds no image: servers.command of a scenario starts a game server',
  start: 'write it into servers.command of the scenario',
  network: 'nothing stands between a player and the game server',
  verification: 'the mock asks no other server',
  publicity: 'create makes public and private lobbies',
} as const

/** A map in a version config. Each of its keys is read, left out for a reason, or unknown. */
class Section {
  readonly path: Path
  readonly #value: Readonly<Record<string, unknown>>
  readonly #leftOut: Problem[]
  readonly #known: string[] = []

  constructor(value: unknown, path: Path, leftOut: Problem[]) {
    this.path = path
    this.#leftOut = leftOut
    const isMap = isJsonObject(value)
    this.#value = isMap ? value : {}
    if (!isMap && value !== undefined && value !== null) this.#report(path, 'is left out: expected a map')
  }

  /** Tells whether a key has a value. */
  has(key: string): boolean {
    return Object.hasOwn(this.#value, key) && this.#value[key] !== null
  }

  /** Reads the value of a key, which may have had other names. A wrong one is left out. */
  read<Value>(schema: z.ZodType<Value>, ...names: readonly [string, ...string[]]): Value | undefined {
    const [key = names[0]] = names.filter(name => this.has(name))
    this.#known.push(...names)
    if (!this.has(key)) return undefined
    const { data, error } = schema.safeParse(this.#value[key])
    if (error) this.#leaveWrong(key, error)
    return data
  }

  /** Returns the map of a key, which is empty if the key has no value. */
  section(key: string): Section {
    this.#known.push(key)
    return new Section(this.#value[key], [...this.path, key], this.#leftOut)
  }

  /** Lists the maps in a map, by their names. In a list, a map has its name itself, in `nameKey`. */
  named(nameKey: string, ...names: readonly string[]): (readonly [name: string, section: Section])[] {
    this.#known.push(...names)
    return names.flatMap(name => {
      const inner = this.#value[name]
      if (!Array.isArray(inner)) return this.section(name).#sections()
      return inner.flatMap((value, i) => {
        const section = new Section(value, [...this.path, name, i], this.#leftOut)
        const own = section.read(z.string(), nameKey)
        if (own !== undefined) return [[own, section] as const]
        if (isJsonObject(value)) section.note(`is left out: expected ${nameKey}`)
        return []
      })
    })
  }

  #sections(): (readonly [string, Section])[] {
    return Object.entries(this.#value).map(([name, value]) => [
      name,
      new Section(value, [...this.path, name], this.#leftOut),
    ])
  }

  /** Reports something about this section. `message` follows its path. */
  note(message: string): void {
    this.#report(this.path, message)
  }

  /** Leaves out the keys of a table by their reasons, and then all that nobody has read. */
  end(others: Readonly<Record<string, string>> = {}): void {
    this.#known.push(...Object.keys(others))
    for (const key of Object.keys(this.#value)) {
      const path = [...this.path, key]
      if (Object.hasOwn(others, key)) this.#report(path, `is left out: ${others[key]}`)
      else if (!this.#known.includes(key)) this.#report(path, `is an unknown key.${didYouMean(key, this.#known)}`)
    }
  }

  #leaveWrong(key: string, error: z.ZodError): void {
    const value = this.#value[key]
    const [issue] = likelyIssues(error.issues)
    const text = issue ? issueText({ ...issue, path: [] }, value) : 'is wrong'
    this.#report([...this.path, key], `${text}. It is left out.`)
  }

  #report(path: Path, message: string): void {
    this.#leftOut.push(problem(path, message, 'key'))
  }
}

/** The defaults of all game modes. */
interface Common {
  readonly maxPlayers: readonly [normal: number | undefined, direct: number | undefined, party: number | undefined]
  readonly regions: readonly string[]
  readonly ports: Ports | undefined
}

/** The ports of a container, as they are for players, and for a server on the developer's machine. */
interface Ports {
  readonly deployed: readonly PortInput[]
  readonly local: readonly PortInput[]
}

function readConfig(config: Section) {
  const matchmaker = config.section('matchmaker')
  const common: Common = {
    maxPlayers: readMaxPlayers(matchmaker),
    regions: readRegions(matchmaker),
    ports: readPorts(matchmaker),
  }
  const hostname = matchmaker.read(z.string().min(1), 'dev_hostname')
  const modes = new Map<string, ModeInput>()
  const local = new Map<string, PortInput>()
  for (const [id, section] of matchmaker.named('name_id', 'game_modes', 'lobby_groups')) {
    const ports = readPorts(section)
    for (const port of ports?.local ?? []) local.set(port.label, port)
    const mode = readMode(id, section, { ...common, ports: ports ?? common.ports })
    if (modes.has(id)) section.note('is left out: another game mode has this name')
    else if (!Id.safeParse(id).success) section.note('is left out: expected a name without white space or /')
    else modes.set(id, mode)
  }
  // Nobody knows which game mode the server on the developer's machine runs.
  for (const port of common.ports?.local ?? []) local.set(port.label, port)
  matchmaker.end({ captcha: reasons.captcha, tier: reasons.machines, idle_lobbies: reasons.idle })
  const { pages, command, identities, storage, scripts } = reasons
  config.read(z.unknown(), '$schema')
  config.end({ cdn: pages, engine: command, identity: identities, kv: storage, scripts })
  const regions = [...new Set([...common.regions, ...[...modes.values()].flatMap(mode => mode.regions ?? [])])]
  const development = {
    ...(hostname !== undefined && { hostname }),
    ...(local.size > 0 && { lobby_ports: [...local.values()] }),
  }
  return {
    ...(regions.length > 0 && { regions: regions.map(id => (catalogueRegion(id) ? id : { region_id: id })) }),
    ...(Object.keys(development).length > 0 && { development }),
    game_modes: [...modes.values()],
  }
}

/** The most players of a lobby where a version config says nothing. */
const maxPlayersDefault = 32

function readMode(game_mode_id: string, section: Section, common: Common): ModeInput {
  const [ofMode, ofAll] = [readMaxPlayers(section), common.maxPlayers]
  const normal = ofMode[0] ?? ofAll[0] ?? maxPlayersDefault
  const [direct, party] = [ofMode[1] ?? ofAll[1] ?? normal, ofMode[2] ?? ofAll[2] ?? normal]
  const own = readRegions(section)
  const regions = own.length > 0 ? own : common.regions
  const listable = section.read(z.boolean(), 'listable')
  const dynamic = section.read(z.boolean(), 'allow_dynamic_max_players')
  // As in the service: without a word, there are no tags and no custom lobbies.
  const taggable = section.read(z.boolean(), 'taggable') ?? false
  const enabled = readActions(section)
  const disabled = (['find', 'join', 'create'] as const).filter(name => !(enabled[name] ?? name !== 'create'))
  section.end({ tier: reasons.machines, idle_lobbies: reasons.idle })
  return {
    game_mode_id,
    max_players: normal === direct && direct === party ? normal : { normal, direct, party },
    ...(regions.length > 0 && { regions }),
    ...(listable !== undefined && { listable }),
    ...(disabled.length > 0 && { disabled }),
    ...(dynamic !== undefined && { dynamic_max_players: dynamic }),
    taggable,
    ...(common.ports && { ports: { lobby_ports: common.ports.deployed } }),
  }
}

function readMaxPlayers(section: Section): Common['maxPlayers'] {
  return [
    section.read(Uint32, 'max_players', 'max_players_normal'),
    section.read(Uint32, 'max_players_direct'),
    section.read(Uint32, 'max_players_party'),
  ]
}

function readRegions(section: Section): string[] {
  return section.named('region_id', 'regions').flatMap(([name, region]) => {
    // An older form has the UUID.
    const id = catalogue.find(({ region_uuid }) => region_uuid === name)?.region_id ?? name
    region.end({ tier: reasons.machines, tier_name_id: reasons.machines, idle_lobbies: reasons.idle })
    if (catalogueRegion(id)) return [id]
    const isId = Id.safeParse(id).success
    region.note(isId ? 'is not in the catalogue: give it a datacenter_coord' : 'is left out: expected an id')
    return isId ? [id] : []
  })
}

const actionNames = ['find', 'join', 'create'] as const

function readActions(section: Section): Partial<Record<(typeof actionNames)[number], boolean>> {
  const actions = section.section('actions')
  const { identities, verification, publicity } = reasons
  const enabled = actionNames.flatMap(name =>
    [actions.section(name), section.section(`${name}_config`)].flatMap(action => {
      const isEnabled = action.read(z.boolean(), 'enabled')
      action.end({
        ...{ identity_requirement: identities, max_lobbies_per_identity: identities, verification },
        ...{ enable_public: publicity, enable_private: publicity },
      })
      return isEnabled === undefined ? [] : [[name, isEnabled] as const]
    }),
  )
  actions.end()
  return Object.fromEntries(enabled)
}

function readPorts(section: Section): Ports | undefined {
  const runtime = section.section('runtime')
  const [own, older] = [section.section('docker'), runtime.section('docker')]
  runtime.end()
  const found = [own, older].map(docker => {
    const ports = docker.named('label', 'ports').map(([label, port]) => readPort(label, port))
    const { image, start, network } = reasons
    docker.end({
      ...{ dockerfile: image, build_args: image, image, image_id: image, build_id: image },
      ...{ args: start, env: start, env_vars: start, network_mode: network },
    })
    return ports
  })
  if (!section.has('docker') && !section.has('runtime')) return undefined
  const ports = found.flat(2)
  return { deployed: ports.map(({ deployed }) => deployed), local: ports.map(({ local }) => local) }
}

/** The protocol of a server on the developer's machine, which has no certificate. The command of the service does the same. */
const withoutTls = { http: 'http', https: 'http', tcp: 'tcp', tcp_tls: 'tcp', udp: 'udp' } as const

function readPort(label: string, section: Section) {
  const target_port = section.read(z.int().min(0).max(65_535), 'port', 'target_port', 'target')
  const port_range = section.read(PortRange, 'port_range', 'range')
  const protocol = section.read(ProxyProtocol(), 'protocol', 'proxy_protocol', 'proto') ?? 'https'
  const devPort = section.read(z.int().min(0).max(65_535), 'dev_port')
  const devRange = section.read(PortRange, 'dev_port_range')
  const devProtocol = section.read(ProxyProtocol(), 'dev_protocol') ?? withoutTls[protocol]
  section.end({ proxy: reasons.network })
  const deployed = { label, ...one(target_port, port_range), proxy_protocol: protocol }
  const isDev = devPort !== undefined || devRange !== undefined
  const local = {
    label,
    ...(isDev ? one(devPort, devRange) : one(target_port, port_range)),
    proxy_protocol: devProtocol,
  }
  const isWhole = target_port !== undefined || port_range !== undefined
  if (isWhole && LobbyPort.safeParse(deployed).success) return [{ deployed, local }]
  section.note(`is left out: expected ${isWhole ? 'a name of 0-9 a-z and -' : 'port or port_range'}`)
  return []
}

/** A port counts before a range. */
function one(target_port: number | undefined, port_range: z.output<typeof PortRange> | undefined) {
  return target_port === undefined ? { port_range } : { target_port }
}

async function parseToml(text: string, file: string): Promise<{ readonly content: unknown; readonly report: Report }> {
  const { parse, TomlError } = await import('smol-toml')
  const places = placesInToml(text)
  const placeOf = ({ path }: Problem) => {
    // Of a key in an inline table, the place of the table.
    for (let length = path.length; length > 0; length -= 1) {
      const place = places.get(JSON.stringify(path.slice(0, length)))
      if (place) return place
    }
    return [1, 1] as const
  }
  const report: Report = (problems, most) => {
    const placed = problems.map(problem => ({ problem, place: placeOf(problem) }))
    placed.sort((a, b) => a.place[0] - b.place[0] || a.place[1] - b.place[1])
    return problemLines(placed, ({ problem, place }) => `${file}:${place.join(':')}: ${problem.text()}`, most)
  }
  try {
    return { content: parse(text), report }
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    const [message = ''] = error.message.replace('Invalid TOML document: ', '').split('\n')
    throw new UsageError(`${file}:${error.line}:${error.column}: this is no valid TOML: ${message}`)
  }
}

/** Finds the line and column of each key that begins a line, and of each table, by its path as JSON. */
function placesInToml(text: string): ReadonlyMap<string, readonly [line: number, column: number]> {
  const places = new Map<string, readonly [number, number]>()
  const lengths = new Map<string, number>()
  let table: Path = []
  const note = (path: Path, place: readonly [number, number]) => {
    for (let length = 1; length <= path.length; length += 1) {
      const key = JSON.stringify(path.slice(0, length))
      if (!places.has(key)) places.set(key, place)
    }
  }
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    const [, space = '', brackets = '', name, sign] =
      /^(\s*)(\[{0,2})\s*((?:"[^"]*"|'[^']*'|[\w-]+)(?:\s*\.\s*(?:"[^"]*"|'[^']*'|[\w-]+))*)\s*([\]=])/.exec(line) ?? []
    if (name === undefined || (brackets === '') !== (sign === '=')) continue
    const keys = (name.match(/"[^"]*"|'[^']*'|[\w-]+/g) ?? []).map(key => key.replaceAll(/^["']|["']$/g, ''))
    const place = [i + 1, space.length + brackets.length + 1] as const
    if (brackets === '') note([...table, ...keys], place)
    else {
      table = keys
      if (brackets === '[[') {
        const index = lengths.get(name) ?? 0
        lengths.set(name, index + 1)
        table = [...keys, index]
      }
      note(table, place)
    }
  }
  return places
}
