import { curlLine, curlLineFor, sortTokens } from '../control/environment.js'
import { formatDuration } from '../lib/time.js'
import type { Mock } from '../mock.js'
import { listedLobbies } from '../operations/lobbies.js'
import { defaultNamespace, fullNameOf } from '../store/namespaces.js'
import { ownerOf, type TokenInfo } from '../store/tokens.js'
import type { World } from '../store/world.js'
import { version } from '../version.js'
import type { Console } from './output.js'

interface BannerOptions {
  /** The title or the file name of the scenario. */
  readonly title: string
  readonly url: string
  readonly console: Console
  readonly hint?: string | undefined
}

/** Prints the first lines: the scenario, the URL, the namespaces, the tokens, and a line of curl for each kind of token. */
export function printBanner(
  { world, tokens }: Pick<Mock, 'world' | 'tokens'>,
  { title, url, console, hint }: BannerOptions,
): void {
  const { print, style } = console
  const sorted = sortTokens(tokens)
  print('')
  print(`  ${style(['bold', 'cyan'], 'mockmaker')} ${version} serves ${style('bold', title)}`)
  print('')
  print(`  ${style(['bold', 'cyan'], url)}`)
  print('')
  printNamespaces(world, console)
  print('')
  printColumns(
    sorted.map(token => [token.kind, ownerOf(token), token.token]),
    console,
  )
  print('')
  for (const { label, curl } of curlExamples(sorted, { world, url })) {
    print(`  ${style('dim', `# ${label}`)}`)
    print(`  ${curl}`)
  }
  print('')
  if (hint === undefined) return
  print(`  ${style('dim', hint)}`)
  print('')
}

/** Prints a line for each namespace of a world: its game modes, open lobbies and simulated players. */
export function printNamespaces(world: World, console: Pick<Console, 'print'>): void {
  const { namespaces, gameModes, simulations } = world
  const rows = namespaces.all().map(({ namespace_id, tokenless }) => {
    const modes = gameModes.count(q => q.where({ namespace_id }))
    const open = listedLobbies(namespace_id, world).length
    const simulation = simulations.get(namespace_id)
    const facts = [
      `${modes} ${modes === 1 ? 'game mode' : 'game modes'}`,
      `${open} open ${open === 1 ? 'lobby' : 'lobbies'}`,
      tokenless ? 'needs no token' : 'needs a token',
    ]
    if (simulation)
      facts.push(`simulated players: ${simulation.concurrent} at once, ${formatDuration(simulation.session_ms)} each`)
    return [fullNameOf(namespace_id, world), facts.join(', ')]
  })
  printColumns(rows, console)
}

/** Prints rows with their cells aligned. */
function printColumns(rows: readonly (readonly string[])[], { print }: Pick<Console, 'print'>): void {
  const width = (column: number) => Math.max(...rows.map(row => row[column]?.length ?? 0))
  for (const row of rows)
    print(`  ${row.map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(width(i)))).join('  ')}`)
}

const labels: { readonly [Kind in TokenInfo['kind']]: string } = {
  public: 'with a public token: the open lobbies',
  development: 'with a development token: a canned list',
  cloud: 'with a cloud token',
}

/** A call without a token, if the default namespace allows it, and one with the first token of each kind. */
function curlExamples(tokens: readonly TokenInfo[], { world, url }: { readonly world: World; readonly url: string }) {
  const withoutToken = defaultNamespace(world)?.tokenless ? [{ label: 'without a token', curl: curlLine(url) }] : []
  const firsts = tokens.filter((token, i) => tokens.findIndex(({ kind }) => kind === token.kind) === i)
  return [
    ...withoutToken,
    ...firsts.map(token => ({ label: labels[token.kind], curl: curlLineFor(token, { url, world }) })),
  ]
}
