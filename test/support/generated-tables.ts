import { readFileSync } from 'node:fs'
import * as z from 'zod'
import { durationText, type FlagTable, flagsOf } from '../../src/cli/flags.js'
import { anyCallErrors, type ErrorCode, errorStatus } from '../../src/core/contract/errors.js'
import { type Limit, limits } from '../../src/core/contract/limits.js'
import type { Auth } from '../../src/core/contract/operation.js'
import { operationIds, operations } from '../../src/core/contract/operations.js'
import { warningTexts } from '../../src/core/contract/warning-texts.js'
import { describeCalls } from '../../src/core/control/api.js'
import { oldestPeers, type Peer } from '../../src/core/lib/peers.js'
import * as loaded from '../../src/core/lib/real-globals.js'
import { Entry } from '../../src/server/har/read.js'
import { levelTable } from './levels.js'

const parts: Readonly<Record<string, () => string>> = {
  operations: operationLists,
  levels: levelTable,
  fidelity: fidelityNotes,
  control: controlList,
  errors: errorLists,
  limits: limitList,
  warnings: warningList,
  scenario: scenarioLists,
  globals: globalList,
  har: harList,
  peers: peerTable,
  'flags-common': () => flagList(commonFlags),
  ...Object.fromEntries(Object.entries(flagsOf).map(([name, flags]) => [`flags-${name}`, () => flagList(flags)])),
}

const part = /<!-- ([\w-]+): generated -->\n.*?<!-- \/\1 -->/gs

/** Fills in the generated parts of a page: the tables of operations, control calls, error codes, scenario keys and flags. */
export function withGenerated(text: string): string {
  return text.replace(part, (whole, name: string) => {
    const [begin = ''] = whole.split('\n', 1)
    const write = parts[name]
    if (!write) throw new Error(`there is no generated part ${name}`)
    return `${begin}\n\n${write()}\n\n<!-- /${name} -->`
  })
}

/** Returns a page without its generated parts. */
export function withoutGenerated(text: string): string {
  return text.replace(part, '')
}

const needs: { readonly [auth in Auth]: string } = {
  namespace: 'A public or a development token, or none',
  public: 'A public or a development token',
  lobby: 'A lobby or a development token',
  cloud: 'A cloud token',
  bearer: 'A token of any kind',
  none: 'No token',
}

function operationLists(): string {
  return Object.entries(needs)
    .map(([auth, title]) => {
      const lines = operationIds.flatMap(id => {
        const { method, path, summary, auth: needed } = operations[id]
        return needed === auth ? [`- \`${method} ${path}\` (\`${id}\`): ${summary}`] : []
      })
      return [`### ${title}`, '', ...lines].join('\n')
    })
    .join('\n\n')
}

/** Lists the notes by operation. A note of several operations, and the only note of one, stand in a list before them. */
function fidelityNotes(): string {
  const operationsOf = new Map<string, string[]>()
  for (const id of operationIds)
    for (const note of operations[id].fidelity) operationsOf.set(note, [...(operationsOf.get(note) ?? []), id])
  const own = operationIds.map(
    id => [id, operations[id].fidelity.filter(note => operationsOf.get(note)?.length === 1)] as const,
  )
  const listed = [...operationsOf].filter(
    ([note, ids]) => ids.length > 1 || own.some(([, notes]) => notes.length === 1 && notes[0] === note),
  )
  const common = listed.map(([note, ids]) => `- ${ids.map(id => `\`${id}\``).join(', ')}: ${note}`)
  const sections = own.flatMap(([id, notes]) =>
    notes.length < 2 ? [] : [[`### ${id}`, '', ...notes.map(note => `- ${note}`)].join('\n')],
  )
  return [common.join('\n'), ...sections].join('\n\n')
}

function controlList(): string {
  return describeCalls()
    .map(({ method, path, summary, query, body }) => {
      const keys = [query && ` \`?${query.join('&')}\``, body && ` \`{${body.join(', ')}}\``].join('')
      return `- \`${method} ${path}\`${keys}: ${summary}`
    })
    .join('\n')
}

/** Flags of several commands that ask a running mock. */
const commonFlags = { url: flagsOf.env.url, token: flagsOf.env.token, controlToken: flagsOf.env.controlToken } as const

/** Lists the flags of a command. The list of the common ones names their commands. */
function flagList(table: FlagTable): string {
  const own = Object.values(table).filter(
    flag => table === commonFlags || (!isCommon(flag) && (table === flagsOf.serve || !isOfServe(flag))),
  )
  const lines = own.map(flag => {
    const [, help, { choices, default: value, without, env } = {}] = flag
    const given = durationText(flag) ?? (typeof value === 'function' ? value() : value)
    const values = [given, env].flatMap(text => (text === undefined ? [] : [`\`${text}\``]))
    const instead = [...(without === undefined ? [] : [without]), ...values].join(', or ')
    const listed = choices ? `: ${choices.map(choice => `\`${choice}\``).join(', ')}` : ''
    const commands = table === commonFlags ? `. Of ${commandsWith(flag).join(', ')}` : ''
    return `- ${namesOf(flag)}${instead && ` (${instead})`}: ${escaped(help)}${listed}${commands}`
  })
  const ofServe = Object.values(table).filter(flag => !isCommon(flag) && isOfServe(flag))
  if (table === flagsOf.serve || table === flagsOf.exec || ofServe.length === 0) return lines.join('\n')
  return [...lines, `- ${ofServe.map(namesOf).join(', ')}: as [above](#serve)`].join('\n')
}

/** Returns the names of the commands that take a flag. */
const commandsWith = (flag: FlagTable[string]) =>
  Object.entries<FlagTable>(flagsOf).flatMap(([name, flags]) =>
    Object.values(flags).includes(flag) ? [`\`${name}\``] : [],
  )

/** Tells whether it is the very flag: `show` has a `--control-token` of its own. */
const isCommon = (flag: FlagTable[string]) => Object.values<FlagTable[string]>(commonFlags).includes(flag)

/** Tells whether `serve` has the same flag, with the same help and default. */
const isOfServe = (flag: FlagTable[string]) =>
  Object.values<FlagTable[string]>(flagsOf.serve).some(other => JSON.stringify(other) === JSON.stringify(flag))

/** Returns the names of a flag without its value: `-o`, `--output`. */
function namesOf([flags]: FlagTable[string]): string {
  return flags.replace(/ <.*/, '').replaceAll(/[\w-]{2,}/g, '`$&`')
}

/** Lists the codes by status and operations. Those that no operation answers are at the end. */
function errorLists(): string {
  const codes = Object.entries(errorStatus).map(([code, status]) => ({ code, status, by: answeredBy(code) }))
  const statuses = [...new Set(codes.map(({ status }) => status))].sort()
  const answered = statuses.flatMap(status => {
    const own = codes.filter(one => one.status === status && one.by)
    const lines = listedTogether(own.map(({ code, by = '' }) => [code, by]))
    return own.length === 0 ? [] : [[`### ${status}`, '', ...lines].join('\n')]
  })
  const others = statuses.flatMap(status => {
    const own = codes.flatMap(({ code, by, ...one }) => (one.status === status && !by ? [code] : []))
    return codeFamilies(own).map(family => `- ${status}: ${family.map(code => `\`${code}\``).join(', ')}`)
  })
  return [...answered, '### Only from faults and resolvers', others.join('\n')].join('\n\n')
}

/** Splits a long list of codes by their first words. Those of a word that few have come last, together. */
function codeFamilies(codes: readonly string[]): (readonly string[])[] {
  const families = new Map<string, string[]>()
  for (const code of codes) {
    const [word = ''] = codes.length > 15 ? code.split('_') : []
    families.set(word, [...(families.get(word) ?? []), code])
  }
  const all = [...families.values()]
  const others = all.filter(({ length }) => length < 3).flat()
  return [...all.filter(({ length }) => length >= 3), ...(others.length > 0 ? [others] : [])]
}

/** Names the operations that answer a code. `undefined`: none does. */
function answeredBy(code: string): string | undefined {
  if (anyCallErrors.includes(code as ErrorCode)) return 'any call'
  // The contract adds it to every operation with a body.
  if (code === 'API_BODY_TOO_LARGE') return 'any call with a body'
  if (code === 'API_REQUEST_LATE') return 'a slow request'
  if (code === 'API_UNAVAILABLE') return 'while the storage is away'
  const ids = operationIds.filter(id => (operations[id].errors as readonly string[]).includes(code))
  if (ids.length > 7) return 'many operations'
  return ids.map(id => `\`${id}\``).join(', ') || undefined
}

/** Writes one line for all names with the same text. */
function listedTogether(entries: Iterable<readonly [name: string, text: string]>): string[] {
  const names = new Map<string, string[]>()
  for (const [name, text] of entries) names.set(text, [...(names.get(text) ?? []), `\`${name}\``])
  return [...names].map(([text, same]) => `- ${same.join(', ')}: ${escaped(text)}`)
}

function warningList(): string {
  return Object.entries(warningTexts)
    .map(([rule, text]) => `- **${rule}**: ${text}`)
    .join('\n')
}

function limitList(): string {
  return Object.values<Limit>(limits)
    .map(({ of, most, service, code }) => `- ${of}: ${most}${service ? `, real service ${service}` : ''}: \`${code}\``)
    .join('\n')
}

/** The globals of which the mock keeps a part. */
const keptParts: Readonly<Record<string, string>> = { now: 'performance', date: 'Date', randomUUID: 'crypto' }

function globalList(): string {
  const kept = Object.keys(loaded.real).map(name => keptParts[name] ?? name)
  const names = [...kept, ...Object.keys(loaded).filter(name => name in globalThis)]
  return `${names
    .sort()
    .map(name => `\`${name}\``)
    .join(', ')}.`
}

function harList(): string {
  const keys = keysOf(z.toJSONSchema(Entry(), { io: 'input' }) as Schema)
  return listedTogether([...keys].filter(([, text]) => text !== '')).join('\n')
}

/** The entry points of a peer, and what works only with newer versions. */
const usedBy: Readonly<Record<Peer, readonly [entries: string, newer: string]>> = {
  msw: ['all but the command', '2.8.5: an aborted request of `node:http` (axios, got) stops waiting'],
  vitest: [
    '`/vitest`',
    '4.1: `test.override`, vitest in a page, and concurrent tests whose hooks send requests. 3.1: `test.scoped`',
  ],
  jest: ['`/jest-preset`', '30: the requests in the error of a failed test'],
  '@playwright/test': ['`/playwright`', '1.45: `clock.advance` moves the clocks of pages'],
  storybook: ['`/storybook`', '9: the types of stories, and the requests of a story whose test fails'],
  vite: ['`/vite`', ''],
  'fast-check': ['`/arbitraries`', ''],
  express: ['`createApp`, `mockExpress`', ''],
  '@redis/client': ['`--data redis://…`', ''],
}

function peerTable(): string {
  const rows = Object.entries(oldestPeers).map(([peer, version]) => {
    const [entries, newer] = usedBy[peer as Peer]
    return `| \`${peer}\` | ${version} | ${entries} | ${newer} |`
  })
  return ['| package | from | for | only newer ones |', '|---|---|---|---|', ...rows].join('\n')
}

interface Schema {
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema | readonly Schema[]
  readonly anyOf?: readonly Schema[]
}

const inNamespace = 'games[].namespaces[].'

/** The objects of the scenario format with their own lists, by their paths. Keys at a second path are in the list of the first. */
const objects: readonly (readonly [title: string, path: string, ...others: string[]])[] = [
  ['Scenario', ''],
  ['Region', 'regions[]'],
  ['Game', 'games[]'],
  ['Namespace', 'games[].namespaces[]'],
  ['Game mode', `${inNamespace}game_modes[]`],
  ['Most players', `${inNamespace}game_modes[].max_players`, `${inNamespace}lobbies[].max_players`],
  ['Lobby', `${inNamespace}lobbies[]`],
  ['Player', `${inNamespace}lobbies[].players[]`],
  ['Simulated players', `${inNamespace}players`],
  ['Device link', 'device_links[]'],
  ['Bearer token', 'bearer_tokens[]'],
  ['Host and ports', `${inNamespace}development`, `${inNamespace}game_modes[].ports`, 'bearer_tokens[].development'],
  [
    'Port',
    `${inNamespace}development.lobby_ports[]`,
    `${inNamespace}development.default`,
    `${inNamespace}lobbies[].ports[]`,
  ],
  ['Game servers', 'servers', `${inNamespace}game_modes[].servers`],
]

const isAtSecondPath = (name: string) =>
  objects.some(([, , ...others]) => others.some(path => name.startsWith(`${path}.`)))

/** Tells whether a text says no more than the name of its key. Editors show it, and the examples of the page have the key. */
const isPlain = (text: string) => text.split(' ').length <= 9 && !text.includes(':')

/** Splits the description of a key into what it says and its default. The page names usual defaults once. */
function splitDefault(text: string): readonly [said: string, preset: string] {
  const [, said = '', preset = ''] = /^(.*?)(?: Default: (.*)\.)?$/.exec(text) ?? []
  return [said, /^(?:from the seed|none|never|false)$/.test(preset) ? '' : preset]
}

/** Faults, the journal and warnings have their own pages. The others are for editors and snapshots. */
const elsewhere = ['faults', 'journal', 'warnings', '$schema']

function scenarioLists(): string {
  const keys = keysOf(JSON.parse(readFileSync('fixtures/scenario.schema.json', 'utf8')))
  return objects
    .map(([title, path, ...others]) => {
      const prefix = path === '' ? '' : `${path}.`
      const own = [...keys].filter(([name]) => ownerOf(name) === path && !isNamespaceKey(name) && !isAtSecondPath(name))
      const texts = own.map(([name, text]) => [name.slice(prefix.length), ...splitDefault(text)] as const)
      const lines = listedTogether(
        texts
          .filter(([, said]) => !isPlain(said))
          .map(([name, said, preset]) => [name, preset === '' ? said : `${said} Default: ${preset}.`]),
      )
      const presets = texts.flatMap(([name, said, preset]) =>
        preset !== '' && isPlain(said) ? [`\`${name}\`: ${escaped(preset)}.`] : [],
      )
      return [
        `### ${title}`,
        '',
        ...(path === '' ? [] : [[path, ...others].map(one => `\`${one}\``).join(', '), '']),
        ...lines,
        ...(presets.length === 0 ? [] : [`- Defaults: ${presets.join(' ')}`]),
      ].join('\n')
    })
    .join('\n\n')

  /** The keys of the only namespace may be at the top level. They are in the table of namespaces. */
  function isNamespaceKey(name: string): boolean {
    return keys.has(`games[].namespaces[].${name}`)
  }
}

const escaped = (text: string) => text.replace(/[|<]/g, '\\$&')

/** Returns the innermost object with a table that contains a key. */
function ownerOf(name: string): string {
  const paths = objects.map(([, path]) => path).filter(path => path !== '' && name.startsWith(`${path}.`))
  return paths.sort((a, b) => b.length - a.length)[0] ?? ''
}

/** All keys of the scenario format with their descriptions, by path: `games[].namespaces[].lobbies[].region_id`. */
export function keysOf({ properties = {}, items, anyOf = [] }: Schema, path = ''): Map<string, string> {
  const keys = new Map<string, string>()
  const add = (inner: Schema, below: string) => {
    for (const [name, text] of keysOf(inner, below)) keys.set(name, text)
  }
  for (const [key, inner] of Object.entries(properties)) {
    const name = `${path}${key}`
    keys.set(name, inner.description ?? '')
    if (!elsewhere.includes(key)) add(inner, inner.items ? `${name}[].` : `${name}.`)
  }
  for (const inner of [items ?? [], anyOf].flat()) add(inner, path)
  return keys
}
