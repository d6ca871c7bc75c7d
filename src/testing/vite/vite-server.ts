import type { IncomingMessage, ServerResponse } from 'node:http'
import { relative, resolve } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { inspect, styleText } from 'node:util'
import type { PreviewServer, ViteDevServer } from 'vite'
import { parseInput } from '../../core/lib/issues.js'
import { escapedLine } from '../../core/lib/messages.js'
import { createMock, describeBug } from '../../core/mock/mock.js'
import { type MockmakerPluginOptions, PluginOptions } from '../../core/mock/options.js'
import type { ScenarioInput } from '../../core/scenario/schema.js'
import { scenarios } from '../../core/scenario/shipped.js'
import { checkInstalled } from '../../server/files/installed-version.js'
import { Reloader, type ReloaderOptions, reloadText } from '../../server/files/reloader.js'
import {
  type LoadedScenario,
  loadScenario,
  readScenarioIfThere,
  type ScenarioFile,
} from '../../server/files/scenario-file.js'
import { createListener, urlOnThisMachine } from '../../server/http/server.js'
import { linesOf, type ServerLog } from '../../server/processes/program-log.js'
import { startPrograms } from '../../server/processes/programs.js'
import { checkBots } from '../../server/processes/scenario-bots.js'
import { checkWatchedPaths } from '../../server/processes/watch-files.js'

checkInstalled('mockmaker/vite', { peer: 'vite', from: import.meta.url })

type ViteServer = ViteDevServer | PreviewServer

/** Checks the options of the plugin, and returns the path of the mock. Throws `UsageError`. */
export function pluginPath(options: MockmakerPluginOptions): string {
  return parseInput(PluginOptions(), options, 'options').path
}

/** Adds a mock to a server of Vite, ahead of its middleware. Loads a saved scenario file again. Rejects with `UsageError`. */
export async function serveBesideApp(
  server: ViteServer,
  options: MockmakerPluginOptions,
): Promise<{ close(): Promise<void> }> {
  const {
    path,
    scenario,
    allowedHosts = hostsOf(server),
    control,
    controlHosts,
    controlToken,
    trustProxy,
    servers,
    ...mockOptions
  } = parseInput(PluginOptions(), options, 'options')
  const appOptions = { allowedHosts, control, controlHosts, controlToken, trustProxy }
  const commands = servers ? 'allowed' : undefined
  const loaded = await load(scenario, server.config.root, commands)
  const create = (publicUrl: string | undefined) => {
    const mock = createMock(
      { publicUrl, ...mockOptions, scenario: loaded?.scenario },
      { scenarios, scenarioName: loaded?.name, commands, onBug: bugReporter(server) },
    )
    return { mock, listener: createListener(mock, appOptions), publicUrl }
  }
  let served = create(urlAt(server, path))
  if (servers) {
    checkWatchedPaths(served.mock.commands)
    checkBots(served.mock.commands)
  }
  let hasServers = false
  const startServers = (url: string) => {
    if (!servers || hasServers) return
    hasServers = true
    startPrograms({ mock: served.mock, url, log: logOf(server) })
  }
  server.httpServer?.once('listening', () => {
    const publicUrl = urlAt(server, path)
    // Vite takes another port if the first one is taken. No request has arrived yet.
    if (publicUrl !== served.publicUrl) {
      void served.mock.close()
      served = create(publicUrl)
    }
    if (publicUrl !== undefined) startServers(publicUrl)
  })
  // The middleware that Vite has added before would answer preflights, and let pages of other sites read the answers.
  server.middlewares.stack.unshift({
    route: '',
    handle(request: IncomingMessage, response: ServerResponse, next: () => void) {
      if (!enterPath(request, path)) return next()
      // In Vite's middleware mode, only a request tells the port.
      startServers(urlOnThisMachine(request))
      served.listener(request, response)
    },
  })
  printUrlOf(server, path)
  const mock: ReloaderOptions['mock'] = { reload: (...args) => served.mock.reload(...args) }
  const reloader = 'watcher' in server && loaded?.file ? reloadOnChange(server, { file: loaded.file, mock }) : undefined
  return {
    async close() {
      reloader?.close()
      await served.mock.close()
    },
  }
}

function bugReporter({ config: { logger } }: ViteServer): (error: unknown, where: string) => void {
  return (error, where) => {
    const [title, cause] = describeBug(error, where)
    logger.error(`${title}\n${inspect(cause)}`)
  }
}

function logOf({ config: { logger } }: ViteServer): ServerLog {
  return {
    report(report) {
      const lines = linesOf(report, { showsOutput: true }).map(escapedLine).join('\n')
      if (report.isFailure) logger.error(lines, { timestamp: true })
      else logger.info(lines, { timestamp: true })
    },
  }
}

async function load(
  scenario: ScenarioInput | string | undefined,
  root: string,
  commands: 'allowed' | undefined,
): Promise<LoadedScenario | undefined> {
  if (typeof scenario !== 'string') return scenario && { name: 'own', scenario }
  // Messages name a file by its path from the working directory.
  return loadScenario(Object.hasOwn(scenarios, scenario) ? scenario : relative('', resolve(root, scenario)), {
    commands,
  })
}

function settingsOf(server: ViteServer) {
  return 'watcher' in server ? server.config.server : server.config.preview
}

/** Returns the names that Vite itself answers to. Without a list of names, the mock allows only its own. */
function hostsOf(server: ViteServer): readonly string[] {
  const { allowedHosts } = settingsOf(server)
  return Array.isArray(allowedHosts) ? allowedHosts : []
}

function enterPath(request: IncomingMessage & { baseUrl?: string; protocol?: string }, path: string): boolean {
  const { url = '/' } = request
  if (!url.startsWith(path) || !/^(?:[/?]|$)/.test(url.slice(path.length))) return false
  const rest = url.slice(path.length)
  request.url = rest.startsWith('/') ? rest : `/${rest}`
  // Express has set both.
  request.baseUrl = (request.baseUrl ?? '') + path
  const { encrypted } = request.socket as Partial<TLSSocket>
  if (encrypted && request.protocol === undefined) request.protocol = 'https'
  return true
}

function urlAt(server: ViteServer, path: string): string | undefined {
  if (!server.httpServer) return undefined
  const address = server.httpServer.address()
  const { port, https } = settingsOf(server)
  const listening = typeof address === 'object' ? address?.port : undefined
  return `${https ? 'https' : 'http'}://localhost:${listening ?? port}${path}`
}

function printUrlOf(server: ViteServer, path: string): void {
  const printUrls = server.printUrls.bind(server)
  server.printUrls = () => {
    printUrls()
    const [local] = server.resolvedUrls?.local ?? []
    if (local === undefined) return
    const url = new URL(path, local).href
    server.config.logger.info(
      `  ${styleText('green', '➜')}  ${styleText('bold', 'Mock')}:    ${styleText('cyan', url)}`,
    )
  }
}

function reloadOnChange(
  { watcher, config: { logger } }: ViteDevServer,
  { file, mock }: { readonly file: ScenarioFile; readonly mock: ReloaderOptions['mock'] },
): Reloader {
  const { path } = file
  const reloader = new Reloader(file, () => readScenarioIfThere(path), {
    mock,
    onReload: summary => logger.info(reloadText(path, summary), { timestamp: true }),
    onMistake: message => logger.error(message, { timestamp: true }),
  })
  const check = (changed: string) => {
    if (resolve(changed) === resolve(path)) reloader.checkSoon()
  }
  watcher.add(resolve(path)).on('add', check).on('change', check).on('unlink', check)
  return reloader
}
