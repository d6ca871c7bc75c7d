import { curlLine, curlLineFor, sortTokens } from '../core/control/environment.js'
import { countSeats } from '../core/control/status.js'
import type { KeptData } from '../core/control/world-control.js'
import { counted, escapedLine, playersText, sizeText, widthOf } from '../core/lib/messages.js'
import { formatDuration } from '../core/lib/time.js'
import type { RunningWorld } from '../core/mock/running-world.js'
import { defaultNamespace, fullNameOf } from '../core/store/namespaces.js'
import { ownerOf, type TokenInfo } from '../core/store/tokens.js'
import type { LiveWorld, World } from '../core/store/world.js'
import { version } from '../version.js'
import { type KeyMode, keyText } from './key-input.js'
import type { Console } from './output.js'

/** The width of a terminal that the first lines fit, in columns. */
const bannerWidth = 80

interface BannerOptions {
  /** The title or the file name of the scenario. */
  readonly title: string
  readonly url: string
  /** The URL of `--public-url`. */
  readonly publicUrl?: string | undefined
  /** The place that keeps the worlds. Default: they are only in memory. */
  readonly data?: KeptData | undefined
  /** The URLs for other machines. Default: none. */
  readonly networkUrls?: readonly string[] | undefined
  /** The control token, if the command has made it. It is printed this once. */
  readonly madeToken?: string | undefined
  /** The link of `--share`, which has the control token. */
  readonly shareUrl?: string | undefined
  readonly console: Pick<Console, 'print' | 'style'>
  /** The time from the start of the process until the mock answers, in ms. */
  readonly readyMs: number
  readonly keys: KeyMode
  /** False if the control API is off. Default: true. */
  readonly hasControl?: boolean | undefined
}

/** Prints the first lines: the URL, the page, the world, one line of curl, and where the tokens are. */
export function printBanner(
  { world, tokens }: Pick<RunningWorld, 'world' | 'tokens'>,
  {
    title,
    url,
    publicUrl,
    data,
    networkUrls = [],
    madeToken,
    shareUrl,
    console,
    readyMs,
    keys,
    hasControl = true,
  }: BannerOptions,
): void {
  const { style } = console
  const places = [keys ? 'key t' : undefined, 'the page', hasControl ? `mockmaker env --url ${url}` : undefined]
  const control: LabelledLine[] = []
  if (shareUrl !== undefined) control.push(['share', style('cyan', shareUrl)])
  else if (madeToken !== undefined) control.push(['control', `${madeToken} (shown this once)`])
  const labels = ['tokens', ...(networkUrls.length > 0 ? ['network'] : []), ...control.map(([label]) => label)]
  const labelWidth = Math.max(...labels.map(label => label.length))
  const rows: readonly LabelledLine[] = [
    ['URL', style(['bold', 'cyan'], url)],
    ...(publicUrl === undefined ? [] : [['public', style('cyan', publicUrl)] as const]),
    ...networkUrls.map(each => ['network', style('cyan', each)] as const),
    ['page', style('cyan', `${url}/`)],
    ['world', worldLine(world, title, labelWidth)],
    ...(data
      ? [['data', `${data.place}: ${counted(data.worlds, 'world', 'worlds')}, ${sizeText(data.bytes)}`] as const]
      : []),
    ['try', firstCurl(world, { tokens, url })],
    ['tokens', places.filter(Boolean).join(', ')],
    ...control,
  ]
  const hint = keys ? `. Press ${keyText('h', keys)} for help.` : ''
  const ready = `${style('bold', 'mockmaker')} ${version}${style('dim', `, ready in ${Math.round(readyMs)} ms${hint}`)}`
  printFirstLines(rows, ready, console)
}

type LabelledLine = readonly [label: string, text: string]

/** Prints lines with their labels, and a last line below them. */
export function printFirstLines(
  rows: readonly LabelledLine[],
  last: string,
  { print, style }: BannerOptions['console'],
): void {
  const width = Math.max(...rows.map(([label]) => label.length))
  print('')
  for (const [label, text] of rows) print(`  ${style('dim', label.padEnd(width))}  ${text}`)
  print('')
  print(`  ${last}`)
  print('')
}

/** Describes a world in one line, behind labels of that width: `Friday night: 36 players in 5 lobbies, …`. */
export function worldLine(world: Pick<LiveWorld, 'tables'>, title: string, labelWidth: number): string {
  const { gameModes, regions } = world.tables
  const facts = [
    playersInLobbies(countSeats(world)),
    counted(gameModes.count(), 'game mode', 'game modes'),
    counted(regions.count(), 'region', 'regions'),
  ].join(', ')
  const room = bannerWidth - '  '.length - labelWidth - '  '.length - ': '.length - facts.length
  return `${cutToWidth(escapedLine(title), room)}: ${facts}`
}

function playersInLobbies(seats: ReturnType<typeof countSeats>): string {
  return `${playersText(seats)} in ${counted(seats.lobbies, 'lobby', 'lobbies')}`
}

function cutToWidth(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  let kept = ''
  for (const character of text) {
    if (widthOf(kept + character) > columns - 1) break
    kept += character
  }
  return `${kept}…`
}

/** Returns a call without a token, if the default namespace allows it, or else with its public token. */
function firstCurl(world: World, { tokens, url }: { readonly tokens: readonly TokenInfo[]; readonly url: string }) {
  const namespace = defaultNamespace(world)
  if (!namespace || namespace.tokenless) return curlLine(url)
  const name = fullNameOf(namespace.namespace_id, world)
  const [first] = sortTokens(tokens).filter(token => token.kind === 'public' && ownerOf(token) === name)
  return first ? curlLineFor(first, { url, world }) : curlLine(url)
}

/** Prints the title, the namespaces, the tokens, and a line of curl for each kind of token. */
export function printTokens(
  { world, tokens }: Pick<RunningWorld, 'world' | 'tokens'>,
  { url, console }: Pick<BannerOptions, 'url' | 'console'>,
): void {
  const { print, style } = console
  const sorted = sortTokens(tokens)
  print('')
  print(`  ${style('bold', world.title)}`)
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
}

/** Prints a line for each namespace of a world: its players, lobbies and game modes, and its simulated players. */
export function printNamespaces(world: RunningWorld['world'], console: Pick<Console, 'print'>): void {
  const { namespaces, gameModes, simulations } = world
  const rows = namespaces.all().map(({ namespace_id, tokenless }) => {
    const modes = gameModes.count(q => q.where({ namespace_id }))
    const simulation = simulations.get(namespace_id)
    const facts = [
      playersInLobbies(countSeats(world, [{ namespace_id }])),
      counted(modes, 'game mode', 'game modes'),
      tokenless ? 'needs no token' : 'needs a token',
    ]
    if (simulation)
      facts.push(`simulated players: ${simulation.concurrent} at once, ${formatDuration(simulation.session_ms)} each`)
    return [fullNameOf(namespace_id, world), facts.join(', ')]
  })
  printColumns(rows, console)
}

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

function curlExamples(tokens: readonly TokenInfo[], { world, url }: { readonly world: World; readonly url: string }) {
  const withoutToken = defaultNamespace(world)?.tokenless ? [{ label: 'without a token', curl: curlLine(url) }] : []
  const firsts = tokens.filter((token, i) => tokens.findIndex(({ kind }) => kind === token.kind) === i)
  return [
    ...withoutToken,
    ...firsts.map(token => ({ label: labels[token.kind], curl: curlLineFor(token, { url, world }) })),
  ]
}
