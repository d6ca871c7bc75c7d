import type { Plugin, UserConfig, ViteDevServer } from 'vite'
import type { MockmakerPluginOptions } from '../../core/mock/options.js'

export type { MockmakerPluginOptions } from '../../core/mock/options.js'

/**
 * Creates a Vite plugin that serves a mock beside your app, in `vite` and `vite preview`. All calls, the control API and the
 * pages of the mock are below `path`. During development `import.meta.env.MOCKMAKER_URL` is that path. In a build and in
 * vitest it is `undefined`, and nothing of the mock is loaded. The server does not start if an option or the scenario is
 * wrong.
 */
export function mockmaker(options: MockmakerPluginOptions = {}): Plugin {
  /** The mocks of the servers that use this plugin. Vite starts a second server before it closes the first one. */
  const running = new WeakMap<object, { close(): Promise<void> }>()
  let isVitest = false
  return {
    name: 'mockmaker',
    async config(config, { command, isPreview }) {
      isVitest = hasVitest(config)
      if (command === 'build' || isPreview || isVitest) return defineUrl(undefined)
      const { pluginPath } = await import('./vite-server.js')
      return defineUrl(pluginPath(options))
    },
    async configureServer(server) {
      if (isVitest) return
      const { serveBesideApp } = await import('./vite-server.js')
      const mock = await serveBesideApp(server, options)
      const { environments } = server as Partial<Pick<ViteDevServer, 'environments'>>
      if (environments) return void running.set(environments.client, mock)
      // Vite 5 has none. There a restart calls `close`.
      const close = server.close.bind(server)
      server.close = () => mock.close().finally(close)
    },
    async configurePreviewServer(server) {
      const { serveBesideApp } = await import('./vite-server.js')
      const { close } = await serveBesideApp(server, options)
      server.httpServer.once('close', close)
    },
    // Vite calls this for each environment of a server that closes.
    async closeBundle() {
      await running.get(this.environment)?.close()
    },
  }
}

function defineUrl(path: string | undefined): UserConfig {
  return { define: { 'import.meta.env.MOCKMAKER_URL': path === undefined ? 'undefined' : JSON.stringify(path) } }
}

function hasVitest({ plugins = [] }: UserConfig): boolean {
  return plugins.flat(10).some(plugin => plugin && 'name' in plugin && plugin.name.startsWith('vitest'))
}
