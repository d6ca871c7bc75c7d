// @ts-check
import { atMost, ratio } from '../aim.js'
import { answerOf, loadRow, loadText, measureLoad } from '../http/load.js'
import { scenarioOf, tokens, withFiles } from '../scenario.js'
import { command, onPort, withServers } from '../servers.js'
import { readyPath, sharing, withRedis } from './redis.js'

const path = '/matchmaker/lobbies/list'
const request = { path, token: tokens.public }
const proxy = new URL('../yardsticks/proxy-server.js', import.meta.url)

/**
 * The list by the replica that owns its world, by another one that forwards it, and by a bare proxy in front of the owner. The
 * processor time is that of all processes that take part.
 *
 * @returns {Promise<import('../table.js').Table>}
 */
export function measureForwarded() {
  return withRedis(url =>
    withFiles(write =>
      withServers(async start => {
        const args = sharing(write('scenario.json', scenarioOf({ lobbies: 20 })), { url, prefix: 'forwarded' })
        const owner = await start({ name: 'the owner', program: command, args, path: readyPath })
        // The first request claims the world.
        await answerOf({ name: owner.name, server: owner, ...request })
        const other = await start({ name: 'another replica', program: command, args, path: readyPath })
        const bare = await start({ name: 'a bare proxy', program: proxy, args: onPort(owner.url), path: readyPath })
        const targets = [
          { name: 'the owner', server: owner },
          { name: 'another replica, and the owner', server: together(other, owner) },
          { name: 'a bare proxy on node:http, and the owner', server: together(bare, owner) },
        ]
        const results = await measureLoad(targets.map(target => ({ ...target, ...request })))
        const [local, forwarded, proxied] = results
        return {
          title: `a forwarded list, 20 lobbies; ${loadText}`,
          rows: results.map(result => loadRow(result, { owner: local })),
          aims: [
            atMost('CPU of a forwarded list, to a local one', {
              most: 6,
              value: ratio(forwarded?.cpuUs, local?.cpuUs),
              beside: `through a bare proxy ${ratio(proxied?.cpuUs, local?.cpuUs)?.toFixed(1)} ×`,
            }),
          ],
        }
      }),
    ),
  )
}

/**
 * A server whose processor time includes that of another one.
 *
 * @param {import('../server-process.js').ServerProcess} server
 * @param {import('../server-process.js').ServerProcess} behind
 */
function together(server, behind) {
  const cpuMs = () => {
    const [own, other] = [server.cpuMs(), behind.cpuMs()]
    return own === undefined || other === undefined ? undefined : own + other
  }
  return { ...server, cpuMs }
}
