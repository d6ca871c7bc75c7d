import type { Mock } from '../mock.js'
import type { World } from '../store/world.js'
import type { TokenInfo } from '../token-info.js'
import type { Console } from './console.js'

/** What the command says when it listens. */
export interface Banner {
  readonly mock: Pick<Mock, 'world' | 'tokens'>
  readonly url: string
  readonly version: string
}

/** Prints the URL, what is in the world, and the tokens, public first, with a line of curl for each kind. */
export function printBanner({ mock, url, version }: Banner, { print, style }: Console): void {
  const { world, tokens } = mock
  print(`${style('bold', 'mockmaker')} ${version} serves ${style('bold', world.title)}`)
  print('')
  print(`  ${style(['bold', 'cyan'], url)}`)
  print('')
  for (const line of inventory(world)) print(`  ${line}`)
  print('')
  for (const example of examples({ world, tokens, url })) {
    print(`  ${style('dim', `# ${example.title}`)}`)
    print(`  ${example.curl}`)
  }
  print('')
  for (const token of publicFirst(tokens))
    print(`  ${token.kind.padEnd(11)} ${ownerOf(token).padEnd(16)} ${token.token}`)
  print('')
}

/** The order in which people look for them. */
export function publicFirst(tokens: readonly TokenInfo[]): TokenInfo[] {
  const order: readonly TokenInfo['kind'][] = ['public', 'development', 'cloud']
  return order.flatMap(kind => tokens.filter(token => token.kind === kind))
}

/** Whose a token is: `tanks/prod`, or `tanks`. */
export function ownerOf(token: TokenInfo): string {
  return token.kind === 'cloud' ? token.game : token.namespace
}

function inventory({ namespaces, games, gameModes, lobbies }: World): string[] {
  return namespaces.all().map(({ namespace_id, game_id, name_id, tokenless }) => {
    const modes = gameModes.count(q => q.where({ namespace_id }))
    const open = lobbies.count(q => q.where({ namespace_id }))
    const owner = `${games.get(game_id)?.name_id}/${name_id}`
    return `${owner.padEnd(16)} ${counted(modes, 'game mode')}, ${counted(open, 'lobby')}, ${tokenless ? 'tokenless' : 'needs a token'}`
  })
}

function counted(count: number, what: string): string {
  if (count === 1) return `1 ${what}`
  return `${count} ${what === 'lobby' ? 'lobbies' : `${what}s`}`
}

interface Example {
  readonly title: string
  readonly curl: string
}

function examples({ world, tokens, url }: { world: World; tokens: readonly TokenInfo[]; url: string }): Example[] {
  const list = `${url}/matchmaker/lobbies/list`
  const byDefault = world.namespaces.get(world.settings.get('settings')?.default_namespace_id ?? '')
  const tokenless = byDefault?.tokenless ? [{ title: 'without a token', curl: `curl ${list}` }] : []
  const bearer = (token: TokenInfo) => `curl -H 'Authorization: Bearer ${token.token}'`
  const first = publicFirst(tokens).filter((token, i, all) => all.findIndex(({ kind }) => kind === token.kind) === i)
  const commands = first.map(token => ({
    title: titles[token.kind],
    curl: token.kind === 'cloud' ? `${bearer(token)} ${validation(url, world)}` : `${bearer(token)} ${list}`,
  }))
  return [...tokenless, ...commands]
}

const titles: { readonly [Kind in TokenInfo['kind']]: string } = {
  public: 'with a public token: the simulated list',
  development: 'with a development token: a canned list',
  cloud: 'with a cloud token: what is wrong with a name?',
}

function validation(url: string, { games }: World): string {
  const gameId = games.all()[0]?.game_id ?? ''
  return `-d '{"display_name": "Beta", "name_id": "beta-"}' ${url}/cloud/games/${gameId}/namespaces/validate`
}
