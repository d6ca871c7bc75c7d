import type { Resolver } from './resolver.js'

/** Returns what a client of the cloud needs before its first call (PROTOCOL.md C). */
export const bootstrap: Resolver<'cloud.bootstrap'> = ({ tables }) => {
  // Every world has its settings.
  const { cdn_domain: domain = '', public_url: hub = '' } = tables.settings.get('settings') ?? {}
  return {
    access: 'private',
    captcha: {},
    cluster: 'oss',
    domains: { cdn: domain, job: domain, main: domain },
    login_methods: { access_token: true, email: false },
    origins: { hub },
  }
}

/** Returns the game of a cloud token (PROTOCOL.md C). */
export const inspect: Resolver<'auth.inspect'> = ({ caller }) => ({
  agent: { game_cloud: { game_id: caller.gameId } },
})
