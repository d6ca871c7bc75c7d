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

const parts: Readonly<Record<string, () => string>> = {
  operations: operationTable,
  fidelity: fidelityNotes,
  control: controlTable,
  errors: errorTable,
  limits: limitTable,
  warnings: warningTable,
  scenario: scenarioTables,
  globals: globalList,
  har: harTable,
  peers: peerTable,
  ...Object.fromEntries(Object.entries(flagsOf).map(([name, flags]) => [`flags-${name}`, () => flagTable(flags)])),
}

const part = /<!-- ([\w-]+): written by `npm run \w+` -->\n.*?<!-- \/\1 -->/gs

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
  none: 'none',
  bearer: 'one of any kind',
  namespace: 'public, development, or none',
  public: 'public or development',
  lobby: 'lobby or development',
  cloud: 'cloud',
}

function operationTable(): string {
  const rows = operationIds.map(id => {
    const { method, path, auth, summary } = operations[id]
    return `| \`${method} ${path}\` | \`${id}\` | ${needs[auth]} | ${summary} |`
  })
  return ['| call | operation | token | |', '|---|---|---|---|', ...rows].join('\n')
}

function fidelityNotes(): string {
  const noted = operationIds.filter(id => operations[id].fidelity.length > 0)
  return noted
    .map(id => {
      const { method, path, fidelity } = operations[id]
      return [`### ${id}`, '', `\`${method} ${path}\``, '', ...fidelity.map(note => `- ${note}`)].join('\n')
    })
    .join('\n\n')
}

function controlTable(): string {
  const rows = describeCalls().map(({ method, path, summary, query, body }) => {
    const keys = [query && `\`?${query.join('&')}\``, body && `\`{${body.join(', ')}}\``].filter(
      text => text !== undefined,
    )
    return `| \`${method} ${path}\` | ${keys.join(' ')} | ${summary} |`
  })
  return ['| call | query, body | |', '|---|---|---|', ...rows].join('\n')
}

function flagTable(table: FlagTable): string {
  // `exec` takes the flags of `serve`, which are listed there.
  const own = Object.entries(table).flatMap(([key, flag]) =>
    table === flagsOf.exec && key in flagsOf.serve ? [] : [flag],
  )
  const rows = own.map(flag => {
    const [flags, help, { choices, default: value, without, env } = {}] = flag
    const given = durationText(flag) ?? (typeof value === 'function' ? value() : value)
    const values = [given, env].flatMap(text => (text === undefined ? [] : [`\`${text}\``]))
    const instead = [...(without === undefined ? [] : [without]), ...values].join(', or ')
    const names = flags.replace(/ <.*/, '').replaceAll(/[\w-]{2,}/g, '`$&`')
    const listed = choices ? `: ${choices.map(choice => `\`${choice}\``).join(', ')}` : ''
    return `| ${names} |${instead && ` ${instead}`} | ${escaped(help)}${listed} |`
  })
  return ['| flag | default | |', '|---|---|---|', ...rows].join('\n')
}

function errorTable(): string {
  const codes = Object.entries(errorStatus)
  const last = codes.findIndex(([code]) => code === 'ERROR')
  const rows = codes.slice(0, last + 1).map(([code, status]) => {
    const ids = operationIds.filter(id => (operations[id].errors as readonly string[]).includes(code))
    const named = anyCallErrors.includes(code as ErrorCode) ? 'any call' : ids.map(id => `\`${id}\``).join(', ')
    // The contract adds it to every operation with a body.
    const withBody = code === 'API_BODY_TOO_LARGE' ? 'any call with a body' : named
    const by = ids.length > 8 ? 'many operations' : withBody
    return `| \`${code}\` | ${status} | ${by} |`
  })
  // A row for each status of each part of the service.
  const groups = new Map<string, string[]>()
  for (const [code, status] of codes.slice(last + 1)) {
    const key = `${code.split('_', 1)} ${status}`
    groups.set(key, [...(groups.get(key) ?? []), `\`${code}\``])
  }
  const injected = [...groups].map(([key, group]) => `| ${group.join(', ')} | ${key.split(' ')[1]} |  |`)
  return ['| code | status | answered by |', '|---|---|---|', ...rows, ...injected].join('\n')
}

function warningTable(): string {
  const rows = Object.entries(warningTexts).map(([rule, text]) => `| ${rule} | ${text} |`)
  return ['| rule | when |', '|---|---|', ...rows].join('\n')
}

function limitTable(): string {
  const rows = Object.values<Limit>(limits).map(
    ({ of, most, service = 'the same', code }) => `| ${of} | ${most} | ${service} | \`${code}\` |`,
  )
  return ['| at most | mock | real service | more is |', '|---|---|---|---|', ...rows].join('\n')
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

function harTable(): string {
  const keys = keysOf(z.toJSONSchema(Entry(), { io: 'input' }) as Schema)
  const rows = [...keys].flatMap(([name, text]) => (text === '' ? [] : [`| \`${name}\` | ${escaped(text)} |`]))
  return ['| field of an entry | what becomes of it |', '|---|---|', ...rows].join('\n')
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

/** The objects of the scenario format with their own tables, by path. */
const objects = [
  ['Scenario', ''],
  ['Region', 'regions[]'],
  ['Game', 'games[]'],
  ['Namespace', 'games[].namespaces[]'],
  ['Game mode', 'games[].namespaces[].game_modes[]'],
  ['Lobby', 'games[].namespaces[].lobbies[]'],
  ['Player', 'games[].namespaces[].lobbies[].players[]'],
  ['Simulated players', 'games[].namespaces[].players'],
  ['Device link', 'device_links[]'],
  ['Bearer token', 'bearer_tokens[]'],
] as const

/** Faults, the journal and warnings have their own pages. The others are for editors and snapshots. */
const elsewhere = ['faults', 'journal', 'warnings', '$schema']

function scenarioTables(): string {
  const keys = keysOf(JSON.parse(readFileSync('fixtures/scenario.schema.json', 'utf8')))
  return objects
    .map(([title, path]) => {
      const prefix = path === '' ? '' : `${path}.`
      const own = [...keys].filter(([name]) => ownerOf(name) === path && !isNamespaceKey(name))
      const rows = own.map(([name, text]) => `| \`${name.slice(prefix.length)}\` | ${escaped(text)} |`)
      return [`### ${title}`, '', ...(path === '' ? [] : [`\`${path}\``, '']), '| key | |', '|---|---|', ...rows].join(
        '\n',
      )
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
