import { GameServers } from './game-servers.js'
import { checkBots, ScenarioBots } from './scenario-bots.js'

/** The game servers and the bots of a mock. */
export interface Programs {
  close(): Promise<void>
}

/** Starts the game servers and bots of a mock's own scenario. They end with the mock, or with `close`. Throws `UsageError`. */
export function startPrograms(
  options: ConstructorParameters<typeof ScenarioBots>[0] & ConstructorParameters<typeof GameServers>[0],
): Programs {
  checkBots(options.mock.commands, options.maxBots)
  const servers = new GameServers(options)
  const bots = new ScenarioBots(options)
  return {
    async close() {
      // A server should see that its players leave.
      await bots.close()
      await servers.close()
    },
  }
}
