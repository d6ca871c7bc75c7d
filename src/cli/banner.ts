import { listedLobbies } from '../behaviour/lobbies-list.js'
import { curlLine, curlLineFor, sortTokens } from '../control/examples.js'
import { formatDuration } from '../lib/time.js'
import type { Mock } from '../mock.js'
import { defaultNamespace } from '../store/default-namespace.js'
import { fullNameOf } from '../store/full-name.js'
import type { SimulationRow } from '../store/simulation-row.js'
import { ownerOf, type TokenInfo } from '../store/token-info.js'
import type { World } from '../store/world.js'
import { version } from '../version.js'
import type { Console } from './console.js'

/** What the command says when it listens. */
interface Banner {
  readonly mock: Pick<Mock, 'world' | 'tokens'>
  readonly url: string
  /** What stands at its end. Default: nothing. */
  readonly hint?: string | undefined
}

/** Prints the URL, what is in the world, the tokens, public first, and a line of curl for each kind of them. */
export function printBanner({ mock, url, hint }: Banner, console: Console): void {
  const { print, style } = console
  const { world } = mock
  const tokens = sortTokens(mock.tokens)
  print('')
  print(`  ${style(['bold', 'cyan'], 'mockmaker')} ${version} serves ${style('bold', world.title)}`)
  print('')
  print(`  ${style(['bold', 'cyan'], url)}`)
  print('')
  printInventory(world, console)
  print('')
  for (const line of columns(tokens.map(token => [token.kind, ownerOf(token), token.token]))) print(`  ${line}`)
  print('')
  for (const { title, curl } of examples({ world, tokens, url })) {
    print(`  ${style('dim', `# ${title}`)}`)
    print(`  ${curl}`)
  }
  print('')
  if (hint === undefined) return
  print(`  ${style('dim', hint)}`)
  print('')
}

/** Prints what is in each namespace of a world. */
export function printInventory(world: World, { print }: Pick<Console, 'print'>): void {
  for (const line of columns(inventory(world))) print(`  ${line}`)
}

/** What is in each namespace. */
function inventory(world: World): string[][] {
  const { namespaces, gameModes, simulations } = world
  return namespaces.all().map(({ namespace_id, tokenless }) => {
    const modes = gameModes.count(q => q.where({ namespace_id }))
    const open = listedLobbies(namespace_id, { tables: world }).length
    const within = [
      `${modes} ${modes === 1 ? 'game mode' : 'game modes'}`,
      `${open} open ${open === 1 ? 'lobby' : 'lobbies'}`,
      tokenless ? 'tokenless' : 'needs a token',
      ...comeAndGo(simulations.get(namespace_id)),
    ]
    return [fullNameOf(namespace_id, world), within.join(', ')]
  })
}

/** Who comes to a namespace by themselves. */
function comeAndGo(simulation: SimulationRow | undefined): string[] {
  if (!simulation) return []
  const { concurrent, session_ms } = simulation
  return [`players come and go: ${concurrent} at once, for ${formatDuration(session_ms)} each`]
}

/** Rows as lines; each cell but the last is as wide as the widest of its column. */
function columns(rows: readonly (readonly string[])[]): string[] {
  const width = (column: number) => Math.max(...rows.map(row => row[column]?.length ?? 0))
  return rows.map(row => row.map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(width(i)))).join('  '))
}

interface Example {
  readonly title: string
  readonly curl: string
}

interface Exemplified {
  readonly world: World
  readonly tokens: readonly TokenInfo[]
  readonly url: string
}

/** A call without a token, where the default namespace answers it, and one with the first token of each kind. */
function examples({ world, tokens, url }: Exemplified): Example[] {
  const tokenless = defaultNamespace(world)?.tokenless
  const first = tokens.filter((token, i) => tokens.findIndex(({ kind }) => kind === token.kind) === i)
  return [
    ...(tokenless ? [{ title: 'without a token', curl: curlLine(url) }] : []),
    ...first.map(token => ({ title: titles[token.kind], curl: curlLineFor(token, { url, world }) })),
  ]
}

const titles: { readonly [Kind in TokenInfo['kind']]: string } = {
  public: 'with a public token: the open lobbies',
  development: 'with a development token: a canned list',
  cloud: 'with a cloud token',
}
