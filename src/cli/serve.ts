import { unwatchFile, watchFile } from 'node:fs'
import type { RequestListener } from 'node:http'
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'
import { inspect } from 'node:util'
import { startPage, UsageError } from '../core/lib/messages.js'
import { hostInUrl } from '../core/lib/url.js'
import { createMock, describeBug, type EntryParts, type Mock } from '../core/mock/mock.js'
import type { MockmakerOptions } from '../core/mock/options.js'
import type { RunningWorld } from '../core/mock/running-world.js'
import { isLoopbackHost } from '../core/pipeline/origin.js'
import { hasCommands, scenarioCommands } from '../core/scenario/commands.js'
import { pastOf } from '../core/scenario/past.js'
import { readScenario } from '../core/scenario/read.js'
import { type CheckedScenario, clockEntry, type ScenarioInput } from '../core/scenario/schema.js'
import { defaultScenario, scenarios } from '../core/scenario/shipped.js'
import { defaultTitle } from '../core/scenario/world.js'
import { StorageError } from '../core/storage/storage.js'
import type { ReloadSummary } from '../core/store/reload.js'
import { isRedisUrl } from '../server/cluster/keep-in-redis.js'
import { Reloader, type ReloaderOptions, reloadText } from '../server/files/reloader.js'
import { type LoadedScenario, readScenarioIfThere, type ScenarioFile } from '../server/files/scenario-file.js'
import { createControlToken } from '../server/http/control-token.js'
import { bind, createListener, localUrl, type OpenPort, PortTaken } from '../server/http/server.js'
import { linesOf, type ServerLog } from '../server/processes/program-log.js'
import { startPrograms } from '../server/processes/programs.js'
import { printBanner } from './banner.js'
import type { FlagsOf, ServeFlags } from './flags.js'
import { keepWorlds } from './keep-worlds.js'
import { confirmOn, type KeyMode, keyModeOf, obeyKeys } from './key-input.js'
import { ownWorld, sharedWorld } from './key-world.js'
import { keysWithoutWorld, openInBrowser, servingKeys } from './keys.js'
import type { Console } from './output.js'
import { countRequests, countsLine, logRequests } from './request-log.js'
import { remoteOf } from './running-mock.js'
import { printQrCode, shareUrl, sharingFlags } from './share.js'

/** The options of a command that starts a mock. */
export interface StartOptions<Flags extends ServeFlags = ServeFlags> {
  /** Default: the shipped `default`. */
  readonly loaded: LoadedScenario | undefined
  readonly flags: Flags
  readonly console: Console
  /** Default: standard error. */
  readonly serverLog?: ServerLog | undefined
  /** Refuses everything that could change the mock, for this reason, and starts no program. Default: nothing is refused. */
  readonly readOnlyBecause?: string | undefined
  /** False: starts no game server and no bot. Default: true. */
  readonly startsPrograms?: boolean
  /** Replaces some of the limits of memory. */
  readonly memory?: EntryParts['memory']
  /** Asks for the next free port if this one is taken. Default: a taken port is an error. */
  confirm?(question: string): Promise<boolean>
  /** True if the caller shows the URLs for other machines. Default: the warning about them has them. */
  readonly showsNetworkUrls?: boolean
}

/** A mock that answers on a port. */
export interface RunningServer {
  readonly mock: Mock
  /** A URL that works on this machine. */
  readonly url: string
  /** URLs for other machines. None if `host` is one address. */
  readonly networkUrls: readonly string[]
  /** The token by which this process may control its own mock. */
  readonly ownToken: string
  /** The time from the start of the process until the mock answered, without the time of a question, in ms. */
  readonly readyMs: number
  /** `isMade`: the command has made it, and nobody else knows it. */
  readonly controlToken: { readonly token: string; readonly isMade: boolean } | undefined
  /** The numbers of rows that the changed scenario has changed in a kept world. `undefined` if none was kept, or it is the same. */
  readonly merged: ReloadSummary | undefined
  readonly reload: ReloaderOptions['mock']['reload']
  /** Ends the bots and the game servers, answers the requests that wait, and frees the port. */
  close(): Promise<void>
}

/** Starts a mock on a port; 0 picks a free one. Rejects with `UsageError` if the port is taken, or the scenario is wrong. */
export async function startMock(
  port: number,
  {
    loaded,
    flags,
    console,
    serverLog,
    readOnlyBecause,
    startsPrograms = true,
    memory,
    confirm,
    showsNetworkUrls,
  }: StartOptions,
): Promise<RunningServer> {
  if (flags.reset && flags.data === undefined)
    throw new UsageError('--reset begins the worlds of a storage anew: add --data <folder>, or remove --reset')
  const { host, allowedHosts, control, controlHost, trustProxy, publicUrl, maxBots } = flags
  const isMade = flags.controlToken === 'auto'
  const controlToken = isMade ? createControlToken() : flags.controlToken
  const asked = timed(confirm)
  const isReplica = flags.data !== undefined && isRedisUrl(flags.data)
  const bound = await bindOrOffer({ port, host, isReplica }, confirm && asked.confirm)
  try {
    const [url, networkUrls] = [localUrl(bound.url), networkUrlsOf(host, bound.port)]
    if (host !== undefined)
      warnOfOpenHost(host, showsNetworkUrls ? [] : networkUrls, controlToken !== undefined, console)
    const scenario = configureServers(loaded?.scenario, flags)
    const mock = createMock(
      { ...mockOptionsOf(flags), scenario, publicUrl: publicUrl ?? url },
      {
        scenarios,
        onBug(error, where) {
          const [title, cause] = describeBug(error, where)
          console.warn(`${title}\n${inspect(cause)}`)
        },
        scenarioName: loaded?.name ?? 'default',
        isKept: flags.data !== undefined,
        memory,
      },
    )
    // Clients send the host of the public URL as their Host.
    const hosts = [...(allowedHosts ?? []), ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname])]
    const served = { allowedHosts: hosts, controlHosts: controlHost, control, controlToken, trustProxy }
    const serveWith = isReplica ? serveLater(bound) : bound.serve
    const { merged, replica, serverHost } = await keepWorlds(mock, flags, { url, report: console.warn })
    const ownToken = createControlToken()
    const more = { readOnlyBecause, publicUrl: publicUrl ?? 'asked', router: replica, serverHost, ownToken }
    serveWith(createListener(mock, served, more))
    process.on('uncaughtException', error => console.warn(`mockmaker: unexpected error\n${error.stack ?? error}`))
    const log = serverLog ?? { report: report => console.warn(linesOf(report, { showsOutput: true }).join('\n')) }
    const programs =
      startsPrograms && readOnlyBecause === undefined ? startPrograms({ mock, url, log, maxBots }) : undefined
    return {
      mock,
      url,
      networkUrls,
      ownToken,
      readyMs: performance.now() - asked.ms,
      controlToken: controlToken === undefined ? undefined : { token: controlToken, isMade },
      merged,
      reload: (changed, options) => mock.reload(configureServers(changed, flags), options),
      async close() {
        mock.announceClose()
        replica?.announceClose()
        await programs?.close()
        await bound.close(mock)
        replica?.close()
      },
    }
  } catch (error) {
    await bound.close()
    throw error
  }
}

function mockOptionsOf(flags: ServeFlags): MockmakerOptions {
  return {
    seed: flags.seed,
    live: flags.live,
    maxWorlds: flags.maxWorlds,
    corsOrigins: flags.corsOrigin,
    watchTimeoutMs: flags.watchTimeout,
    worldTtlMs: flags.worldTtl,
    journalSize: flags.journal,
    history: flags.history,
  }
}

function timed(confirm: StartOptions['confirm']) {
  const asked = {
    ms: 0,
    async confirm(question: string): Promise<boolean> {
      const askedAt = performance.now()
      const isConfirmed = await confirm?.(question)
      asked.ms += performance.now() - askedAt
      return isConfirmed === true
    },
  }
  return asked
}

/** Serves a port before its listener is ready, because Redis takes a moment. Early requests wait until the returned function gets it. */
function serveLater(port: OpenPort): (listener: RequestListener) => void {
  let listener: RequestListener | undefined
  const early: Parameters<RequestListener>[] = []
  port.serve(
    (...exchange) => {
      if (listener) listener(...exchange)
      else early.push(exchange)
    },
    { waits: true },
  )
  return given => {
    listener = given
    for (const exchange of early) given(...exchange)
  }
}

function configureServers(
  given: ScenarioInput = defaultScenario,
  { serverCommand: command, serverReadyWithin: ready_within, serverWatch: watch }: ServeFlags,
): CheckedScenario {
  const scenario = readScenario(given)
  const ofFlags = { command, ready_within, watch }
  if (Object.values(ofFlags).every(value => value === undefined)) return scenario
  const { servers } = scenario.content
  const flags = readScenario({ servers: ofFlags }, { commands: 'allowed' }).content.servers
  const changed = { ...(typeof servers === 'object' ? servers : {}), ...(typeof flags === 'object' ? flags : {}) }
  const configured = scenario.with({ servers: changed })
  const { all, modes } = scenarioCommands(configured)
  if (watch !== undefined && all === undefined && modes.size === 0)
    throw new UsageError(
      '--server-watch restarts game servers when files change, but no command starts one: add --server-command',
    )
  return configured
}

function warnOfOpenHost(host: string, urls: readonly string[], hasToken: boolean, console: Console): void {
  if (isLoopbackHost(hostInUrl(host))) return
  const what = hasToken
    ? 'use the mock; only the control token lets them control it'
    : 'use the mock and read its tokens'
  const warning = `warning: everyone who can reach this machine on ${host} can ${what}`
  console.warn([warning, ...urls.map(url => `  ${url}`)].join('\n'))
}

/** Returns the URLs for other machines of a host that means all addresses: one for each IPv4 address. */
export function networkUrlsOf(
  host: string | undefined,
  port: number,
  interfaces: { readonly [name: string]: readonly NetworkInterfaceInfo[] | undefined } = networkInterfaces(),
): string[] {
  if (host !== '0.0.0.0' && host !== '::') return []
  return Object.values(interfaces)
    .flatMap(infos => infos ?? [])
    .filter(({ family, internal }) => family === 'IPv4' && !internal)
    .map(({ address }) => `http://${address}:${port}`)
}

const answerTimeoutMs = 3_000

const longestAnswer = 1024 * 1024

type Place = Parameters<typeof bind>[0]

/** Opens a port. If it is taken, offers the next free one by `confirm`, or else rejects with `UsageError`. */
async function bindOrOffer(place: Place, confirm: StartOptions['confirm']): Promise<OpenPort> {
  try {
    return await bind(place)
  } catch (error) {
    if (!(error instanceof PortTaken)) throw error
    const scenario = await scenarioServedOn(error).catch(() => undefined)
    const serves = scenario === defaultTitle ? '' : ` and serves ${JSON.stringify(scenario)}`
    const other = scenario === undefined ? '' : `\nAnother mockmaker listens there${serves}.`
    const taken = `port ${error.port} on ${error.host} is taken`
    const next = confirm && (await bindNext(place))
    if (next && (await confirm(`${taken}.${other}\nUse port ${next.port}? (Y/n)`))) return next
    await next?.close()
    throw new UsageError(
      `${taken}: stop the program that listens there, or add --port 0 to use a free port. ${startPage}${other}`,
    )
  }
}

const maxOffers = 20

async function bindNext({ port: taken, ...place }: Place): Promise<OpenPort | undefined> {
  const last = Math.min(taken + maxOffers, 65_535)
  for (let port = taken + 1; port <= last; port++) {
    try {
      return await bind({ port, ...place })
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
    }
  }
  return undefined
}

async function scenarioServedOn({ host, port }: PortTaken): Promise<string | undefined> {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : hostInUrl(host)
  const url = `http://${name}:${port}/`
  const limits = { bytes: longestAnswer, beginsWithinMs: answerTimeoutMs, endsWithinMs: answerTimeoutMs }
  const response = await remoteOf({ url }, limits).fetch(url, { headers: { accept: 'application/json' } })
  // Any program may listen there.
  const page = (await response.json()) as { readonly name?: unknown; readonly scenario?: unknown }
  return page.name === 'mockmaker' ? String(page.scenario) : undefined
}

const interrupted = 130

/** Serves a mock until a signal or a key ends the process. Rejects with `UsageError` if it cannot start. */
export async function serve(options: StartOptions<FlagsOf<'serve'>>): Promise<void> {
  const { loaded, console } = options
  const read = loaded && readScenario(loaded.scenario)
  const past = read && pastOf(read)
  const flags = sharingFlags(options.flags)
  const format = flags.json ? 'json' : 'text'
  const hasTerminal = isOnTerminal() && format === 'text'
  const serverLog = logOfServers(flags, console)
  const server = await startMock(flags.port, {
    ...options,
    // In the file, the clock of a capsule is frozen.
    ...(loaded && read && past && { loaded: { ...loaded, scenario: read.with({ clock: clockEntry(past.clock) }) } }),
    flags,
    serverLog,
    ...(hasTerminal && { confirm: confirmOnTerminal(console) }),
    showsNetworkUrls: format === 'text',
  })
  const { mock, url, reload, close } = server
  if (loaded && read && past)
    warnOfCapsule(read, { name: loaded.name, mock, isKept: flags.data !== undefined, console })
  const keys: KeyMode = hasTerminal ? keyModeOf(process.stdin) : undefined
  await mock.worlds
    .lookAtDefault(world => announce(server, world, options, keys))
    .catch((error: unknown) => {
      if (!(error instanceof StorageError)) throw error
      announce(server, mock.default, options, keys)
    })
  if (flags.open) openOrWarn(url, console)
  logRequests(mock, { format, failuresOnly: flags.quiet, console })
  const watched =
    loaded?.file && !past && flags.reload !== false && !mock.worlds.shared
      ? reloadOnSave(loaded.file, { mock: { reload }, console, format: flags.quiet ? 'quiet' : format })
      : undefined
  const counts = countRequests(mock)
  const quit = quitOnSignals(async () => {
    watched?.close()
    await close()
    const { control: hasControl, data } = flags
    if (format === 'text' && !flags.quiet)
      console.print(countsLine(counts, { url, hasKeys: hasTerminal, hasControl, isKept: data !== undefined }))
  })
  const onExport = () => {
    counts.hasExport = true
  }
  if (keys === undefined) return
  const target = { mock, url, console, quit, onExport }
  if (mock.worlds.shared === undefined)
    return obeyKeys(servingKeys({ ...target, world: ownWorld(mock) }), keys, console)
  if (flags.control === false) return obeyKeys(keysWithoutWorld(target), keys, console)
  obeyKeys(servingKeys({ ...target, world: await sharedWorld(server.url, server.ownToken) }), keys, console)
}

/** Says what a capsule does otherwise than the world that it was made of. */
function warnOfCapsule(
  { content }: CheckedScenario,
  { name, mock, isKept, console }: { name: string; mock: Mock; isKept: boolean; console: Pick<Console, 'warn'> },
): void {
  if (content.servers === 'manual' && !hasCommands(mock.commands))
    console.warn(
      `warning: nothing starts game servers for ${name}, so a find waits until yours calls ready: add --server-command to start them`,
    )
  if (isKept) console.warn(`warning: --data keeps the end of ${name}, and not its past: a restart loses that`)
}

const lookEveryMs = 200

/** Reloads a scenario file whenever it is saved. The format `quiet` reports only mistakes. */
function reloadOnSave(
  file: ScenarioFile,
  {
    mock,
    console,
    format,
  }: Pick<ReloaderOptions, 'mock'> & {
    readonly console: Pick<Console, 'print' | 'printJson' | 'warn'>
    readonly format: 'text' | 'json' | 'quiet'
  },
): { close(): void } {
  const { path } = file
  const reloader = new Reloader(file, () => readScenarioIfThere(path), {
    mock,
    onMistake: message => console.warn(message),
    onReload(summary) {
      if (format === 'text') console.print(reloadText(path, summary))
      if (format === 'json') console.printJson({ event: 'reload', file: path, ...summary })
    },
  })
  const onChange = () => reloader.checkSoon()
  // Looks at the path again and again: a watch would lose it when another file, or another folder, takes its place.
  watchFile(path, { persistent: false, interval: lookEveryMs }, onChange)
  // For a save before the first look.
  onChange()
  return {
    close() {
      reloader.close()
      unwatchFile(path, onChange)
    },
  }
}

function announce(
  { mock, url, networkUrls, readyMs, merged, controlToken }: RunningServer,
  world: RunningWorld,
  { flags, loaded, console }: StartOptions<FlagsOf<'serve'>>,
  keys: KeyMode,
): void {
  const title = loaded?.scenario.title ?? loaded?.name ?? world.world.title
  const { publicUrl, json, share, control } = flags
  const { data } = mock.worlds
  const madeToken = controlToken?.isMade ? controlToken.token : undefined
  const link = share && controlToken ? shareUrl({ url, publicUrl, networkUrls, token: controlToken.token }) : undefined
  if (json) {
    console.printJson({
      event: 'listening',
      url,
      ...(madeToken === undefined ? {} : { control_token: madeToken }),
      ...(link === undefined ? {} : { share_url: link }),
      scenario: world.world.title,
      ...(data && { data }),
      tokens: world.tokens,
    })
    return
  }
  const addresses = { url, publicUrl, networkUrls, madeToken, shareUrl: link }
  printBanner(world, { title, ...addresses, data, console, readyMs, keys, hasControl: control })
  if (link !== undefined && process.stdout.isTTY) printQrCode(link, console)
  if (merged) console.print(reloadText(mock.scenarios[0]?.name ?? 'scenario', merged))
}

/** Returns a function that asks the person at the terminal. */
export function confirmOnTerminal(console: Pick<Console, 'print'>): (question: string) => Promise<boolean> {
  return question => confirmOn(process.stdin, question, console)
}

/** Tells whether a person sees the output, and can press keys. */
export function isOnTerminal(): boolean {
  return process.stdin.isTTY && process.stdout.isTTY
}

/** Opens the page of a mock. Only warns if no browser can be opened. */
export function openOrWarn(url: string, console: Pick<Console, 'warn'>): void {
  openInBrowser(url).catch((error: Error) => console.warn(`warning: ${error.message}`))
}

/** Shows what game servers and bots do. `--quiet` shows only their failures. */
export function logOfServers({ json, quiet }: Pick<FlagsOf<'serve'>, 'json' | 'quiet'>, console: Console): ServerLog {
  return {
    report(report) {
      const { event, text, isFailure } = report
      if (quiet && !isFailure) return
      if (json) console.printJson(event)
      else if (isFailure) console.warn(linesOf(report, { showsOutput: !quiet }).join('\n'))
      else console.print(text)
    },
  }
}

/** Ends the process on the first SIGINT or SIGTERM, after `close`, and at once on a second SIGINT. Returns that function. */
export function quitOnSignals(close: () => Promise<unknown>): () => void {
  let isQuitting = false
  const quit = () => {
    if (isQuitting) return
    isQuitting = true
    // Exits with 0 even if its output failed, because it served until the signal.
    void close().finally(() => process.exit(0))
  }
  // The listeners stay. Between one that is removed and the next, a signal would end the process with what it has started.
  process.on('SIGINT', () => (isQuitting ? process.exit(interrupted) : quit()))
  // A second SIGTERM does not interrupt the first.
  process.on('SIGTERM', quit)
  return quit
}
