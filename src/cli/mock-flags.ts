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
    .option('--allowed-hosts <names>', 'names for the Host header beyond localhost, with commas between', listArgument)
    .option(
      '--cors-origin <origins>',
      "origins whose pages may use the mock, beyond localhost and the scenario's; null for sandboxed frames",
      listArgument,
    )
    .option('--seed <seed>', "what ids, tokens and fake data come from (default: the scenario's)", seedArgument)
    .option('--live', 'players come and go by themselves, in each namespace of which the scenario says nothing else')
    .option('--watch-timeout <duration>', 'how long a watch blocks: 250ms, 40s, 1m (default: 40s)', durationArgument)
    .option('--max-worlds <n>', 'the most worlds, the default one included (default: 10000)', worldsArgument)
    .option('--world-ttl <duration>', 'how long a world that nobody uses is kept (default: 30m)', durationArgument)
    .option('--journal <n>', 'how many exchanges of each world are kept (default: 1000)', journalArgument)
    .option('--no-control', 'leave the control API under /__mock out')
}
