import * as z from 'zod'
import type { Fault } from '../../core/contract/faults.js'
import { lazy } from '../../core/lib/lazy.js'
import { UsageError } from '../../core/lib/messages.js'
import { listKey, tablesByPath } from '../../core/store/table-names.js'
import { parseScenarioFile } from '../../server/files/scenario-file.js'
import type { Place, Session } from './session.js'

/** A tool of an agent. It calls the control API of one session, and runs no command. */
export interface Tool {
  readonly name: string
  readonly description: string
  readonly input: z.ZodObject
  /** True if it changes nothing. */
  readonly isReadOnly: boolean
  /** Runs the tool with arguments that fit `input`. Resolves with JSON, or with a text. */
  run(session: Session, args: Readonly<Record<string, unknown>>): Promise<unknown>
}

function tool<Input extends z.ZodObject>(
  name: string,
  spec: Pick<Tool, 'description' | 'isReadOnly'> & {
    readonly input: Input
    run(session: Session, args: z.output<Input>): Promise<unknown>
  },
): Tool {
  // The server has parsed the arguments by the schema.
  return { name, ...spec, run: (session, args) => spec.run(session, args as z.output<Input>) }
}

const tables = Object.keys(tablesByPath) as (keyof typeof tablesByPath)[] // all keys are known

const most = 100

/** The library of MCP rounds larger integers before a tool sees them. */
const fields = z
  .record(z.string(), z.unknown())
  .refine(
    hasSafeIntegers,
    'an integer above 9007199254740991 loses its digits here: write it into the text of load_scenario',
  )

function hasSafeIntegers(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).every(hasSafeIntegers)
  return !Number.isInteger(value) || Number.isSafeInteger(value)
}
const ids = z.array(z.string()).max(most).default([])

/** The tools of `mockmaker mcp`. A client gets them all at its start, so their list is short. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: it is one table
export const tools = lazy((): readonly Tool[] => {
  const of = z.enum(['fork', 'mock']).default('fork')
  const limit = z.int().min(1).max(500).default(20)

  return [
    tool('get_world', {
      description:
        'Reads the world. Without table: its URL (point the game there), tokens, clock, counts. With table: its newest records, such as lobbies and players.',
      isReadOnly: true,
      input: z.strictObject({
        of: of.describe('fork: your own copy. mock: the world where the user plays'),
        table: z.enum([...tables, 'servers', 'schedule']).optional(),
        where: z.record(z.string(), z.string()).default({}).describe('fields to match: {"game_mode_id": "duel"}'),
        limit,
      }),
      async run(session, { of, table, where, limit }) {
        const isFiltered = Object.keys(where).length > 0
        if (table === undefined) {
          if (isFiltered) throw new UsageError('where needs a table')
          return describeWorld(session, of)
        }
        if (table === 'schedule' || table === 'servers') {
          if (isFiltered) throw new UsageError(`where is for tables, and ${table} is none`)
          if (table === 'servers') return session.read(of, 'GET /servers')
          return session.read(of, 'GET /schedule', { query: { limit } })
        }
        const answer = await session.read(of, 'GET /{table}', { params: { table }, query: where })
        const records = answer[listKey(table)] ?? []
        return { total: records.length, records: records.slice(-limit) }
      },
    }),
    tool('change_world', {
      description:
        'Creates, updates or deletes a record. A new player is connected, and needs no fields. complete and expire are for device-links.',
      isReadOnly: false,
      input: z.strictObject({
        action: z.enum(['create', 'update', 'delete', 'complete', 'expire']),
        table: z.enum(tables),
        id: z.string().optional().describe('of the record. Not for create'),
        fields: fields
          .optional()
          .describe(
            'a new lobby: {"game_mode_id": "duel", "region_id": "lnd-fra", "players": 1}. update: {"is_closed": true}, null removes a field. complete: {"game": "tanks"}',
          ),
        count: z.int().min(1).max(most).optional().describe('of lobbies alike'),
      }),
      async run(session, { action, table, id, fields, count }) {
        if (count !== undefined && (action !== 'create' || table !== 'lobbies'))
          throw new UsageError('count is for new lobbies: remove it')
        if (action === 'create') {
          if (id !== undefined) throw new UsageError('create takes no id: a record has it among its fields')
          if (table === 'players') return session.write('POST /new/player', { body: fields ?? {} })
          if (table !== 'lobbies') return session.write('POST /{table}', { params: { table }, body: fields ?? {} })
          return session.write('POST /new/lobbies', { body: { lobbies: Array(count ?? 1).fill(fields ?? {}) } })
        }
        if (id === undefined) throw new UsageError(`${action} needs the id of a record, as get_world lists it`)
        if (action === 'update') {
          if (fields === undefined) throw new UsageError('update needs fields')
          return session.write('PATCH /{table}/{id}', { params: { table, id }, body: fields })
        }
        if (fields !== undefined && action !== 'complete') throw new UsageError(`${action} takes no fields`)
        if (action === 'delete') return session.write('DELETE /{table}/{id}', { params: { table, id } })
        if (table !== 'device-links') throw new UsageError(`${action} is for device-links, and the table is ${table}`)
        const params = { token: id }
        return action === 'complete'
          ? session.write('POST /device-links/{token}/complete', { params, body: fields ?? {} })
          : session.write('POST /device-links/{token}/expire', { params })
      },
    }),
    tool('list_requests', {
      description:
        'Lists the newest requests of the game with their answers, oldest first, and those that still wait. Tokens are cut.',
      isReadOnly: true,
      input: z.strictObject({
        of,
        operation: z.string().optional().describe('an id or a pattern: lobbies.*'),
        status: z.int().optional(),
        limit,
      }),
      async run(session, { of, limit, ...filter }) {
        const query = { ...filter, answers: 'short' as const }
        const { exchanges, pending, dropped, begins_at } = await session.read(of, 'GET /journal', { query })
        return { total: exchanges.length, requests: exchanges.slice(-limit), pending, dropped, begins_at }
      },
    }),
    tool('explain', {
      description: 'Says why. Ask one thing: a past request, a lobby that is not listed, a find, or a path.',
      isReadOnly: true,
      input: z.strictObject({
        of,
        request: z.int().optional().describe('its id in list_requests'),
        lobby_id: z.string().optional(),
        find: z.string().optional().describe('a game mode: which lobby would a find get now?'),
        path: z.string().optional(),
        method: z.string().optional(),
        token: z.string().optional(),
      }),
      async run(session, { of, request: exchange, ...question }) {
        const { lobby_id, find, path } = question
        if ([exchange, lobby_id, find, path].filter(one => one !== undefined).length !== 1)
          throw new UsageError('ask for one of request, lobby_id, find and path')
        return session.read(of, 'GET /explain', { query: { ...question, exchange } })
      },
    }),
    tool('get_story', {
      description:
        'Tells what happened to a player, with times and reasons. Without player: the newest stories, filtered by q.',
      isReadOnly: true,
      input: z.strictObject({
        of,
        player: z.string().optional().describe('a token or a name'),
        q: z.string().optional().describe('a part of a token, name, lobby, game mode or region'),
        limit,
      }),
      run: (session, { of, player, q, limit }) =>
        player === undefined
          ? session.read(of, 'GET /stories', { query: { q, limit } })
          : session.read(of, 'GET /stories/{player}', { params: { player }, query: {} }),
    }),
    tool('list_warnings', {
      description: 'Lists what the game or its servers do wrong, with advice and proof.',
      isReadOnly: true,
      input: z.strictObject({ of }),
      run: (session, { of }) => session.read(of, 'GET /warnings'),
    }),
    tool('read_server_log', {
      description: 'Reads the newest output of the game server of a lobby, and its end.',
      isReadOnly: true,
      input: z.strictObject({ of, lobby_id: z.string(), limit }),
      async run(session, { of, lobby_id, limit }) {
        const {
          log,
          environment: _,
          last_lines: __,
          ...server
        } = await session.read(of, 'GET /servers/{lobby_id}', {
          params: { lobby_id },
        })
        return { ...server, log: log.slice(-limit) }
      },
    }),
    tool('set_faults', {
      description:
        'Makes requests of the game fail or wait, and lists the faults. Effects: {"error": {"status": 503}}, {"error": {"code": "MATCHMAKER_LOBBY_NOT_FOUND"}}, {"delay": "2s"}, {"hold": true}, {"reset": true}, {"truncate": true}.',
      isReadOnly: false,
      input: z.strictObject({
        add: z
          .array(fields)
          .max(most)
          .default([])
          .describe('[{"operation": "lobbies.find", "effect": {"error": {"status": 503}}, "times": 2}]'),
        remove: ids.describe('ids. Their held requests are answered'),
        release: ids.describe('ids. They stay, and answer their held requests'),
        clear: z.boolean().default(false).describe('removes all earlier faults'),
      }),
      // If a fault cannot be added, nothing changes.
      async run(session, { add, remove, release, clear }) {
        const { faults: before } = await session.write('GET /faults', { query: {} })
        const unknown = [...remove, ...release].filter(id => !before.some(fault => fault.id === id))
        if (unknown.length > 0)
          throw new UsageError(
            `there is no fault ${unknown.join(', ')}: call set_faults without arguments to list them`,
          )
        const added: string[] = []
        const drop = (ids: readonly string[]) =>
          Promise.all(ids.map(fault_id => session.write('DELETE /faults/{fault_id}', { params: { fault_id } })))
        try {
          // The mock checks each of them.
          for (const fault of add)
            added.push((await session.write('POST /faults', { body: fault as unknown as Fault })).id)
        } catch (error) {
          await drop(added)
          throw error
        }
        await Promise.all(
          release.map(fault_id => session.write('POST /faults/{fault_id}/release', { params: { fault_id }, body: {} })),
        )
        await drop(clear ? before.map(({ id }) => id) : [...new Set(remove)])
        return session.write('GET /faults', { query: {} })
      },
    }),
    tool('set_clock', {
      description: 'Freezes, runs or moves the clock of the world, so that nobody waits. Due jobs run in order.',
      isReadOnly: false,
      input: z.strictObject({
        mode: z.enum(['running', 'frozen']).optional(),
        rate: z.number().optional().describe('ms of the world in one real ms'),
        now: z.string().optional().describe('a later time, in ISO 8601'),
        advance: z.string().optional().describe('a duration: 40s, 2m'),
      }),
      async run(session, { advance, mode, rate, now }) {
        if (now !== undefined && advance !== undefined) throw new UsageError('give either now or advance')
        if ([mode, rate, now].some(one => one !== undefined))
          await session.write('PUT /clock', { body: { mode, rate, now } })
        if (advance !== undefined) return session.write('POST /clock/advance', { body: { by: advance } })
        return session.write('GET /clock')
      },
    }),
    tool('load_scenario', {
      description:
        'Replaces the state of your world: by a scenario that the mock knows, by the text of a scenario file, or by its first state (reset). Format: docs/reference/scenario.md of the package.',
      isReadOnly: false,
      input: z.strictObject({
        name: z.string().optional().describe('get_world lists them: default, empty, friday-night, …'),
        text: z.string().optional().describe('YAML or JSON, as take_snapshot returns it'),
        reset: z.literal(true).optional(),
      }),
      async run(session, { name, text, reset }) {
        if ([name, text, reset].filter(one => one !== undefined).length !== 1)
          throw new UsageError('give one of name, text and reset')
        if (reset) return session.write('POST /reset', { body: {} })
        return session.write('PUT /scenario', { body: text === undefined ? { name } : { text } })
      },
    }),
    tool('validate_scenario', {
      description: 'Checks the text of a scenario file, without a mock.',
      isReadOnly: true,
      input: z.strictObject({ text: z.string().describe('YAML or JSON') }),
      async run(_, { text }) {
        await parseScenarioFile({ path: 'scenario', text, commands: 'allowed' })
        return 'valid'
      },
    }),
    tool('take_snapshot', {
      description: 'Returns the whole world as a scenario.',
      isReadOnly: true,
      input: z.strictObject({
        of,
        with: z.enum(['faults', 'journal', 'faults,journal']).optional().describe('parts besides the world'),
        revision: z.int().optional().describe('an earlier revision of the world'),
      }),
      run: (session, { of, with: parts, revision }) =>
        session.read(of, 'GET /snapshot', { query: { with: parts, revision } }),
    }),
  ]
})

async function describeWorld(session: Session, of: Place): Promise<object> {
  const [world, { tokens }, clock, { faults }, { scenarios }] = await Promise.all([
    session.read(of, 'GET /world'),
    session.read(of, 'GET /{table}', { params: { table: 'tokens' }, query: {} }),
    session.read(of, 'GET /clock'),
    session.read(of, 'GET /faults', { query: {} }),
    session.read(of, 'GET /scenarios'),
  ])
  return {
    ...(of === 'fork' && { url: session.url }),
    world,
    clock,
    // Those of lobbies are for their game servers, and there may be thousands.
    tokens: tokens?.filter(({ kind }) => kind !== 'lobby'),
    faults: faults.length,
    scenarios: scenarios.map(({ name }) => name),
  }
}
