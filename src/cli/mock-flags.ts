import type { Command } from 'commander'
import {
  durationArgument,
  hostArgument,
  journalArgument,
  listArgument,
  seedArgument,
  worldsArgument,
} from './options.js'

/** Gives a command the flags of those that make a mock: `MockFlags`. */
export function withMockFlags(command: Command): Command {
  return command
    .option('--host <host>', 'the address to listen on (default: 127.0.0.1 and ::1)', hostArgument)
    .option('--allowed-hosts <names>', 'more names to allow in the Host header, with commas between', listArgument)
    .option(
      '--cors-origin <origins>',
      "more origins whose pages may use the mock, beyond localhost and the scenario's, with commas between; null for sandboxed frames",
      listArgument,
    )
    .option('--seed <seed>', "the seed of ids, tokens and fake data (default: the scenario's)", seedArgument)
    .option('--live', 'let players come and go in each namespace, unless the scenario sets its players')
    .option('--watch-timeout <duration>', 'how long a watch blocks: 250ms, 40s, 1m30s (default: 40s)', durationArgument)
    .option('--max-worlds <n>', 'the most worlds, including the default one (default: 10000)', worldsArgument)
    .option('--world-ttl <duration>', 'how long an unused world is kept (default: 30m)', durationArgument)
    .option('--journal <n>', 'how many exchanges of each world are kept (default: 1000)', journalArgument)
    .option('--no-control', 'leave out the control API under /__mock')
}
