import * as z from 'zod'
import { exchange, httpText } from '../support/engine-clients.js'

/** A UUID, as the crate `uuid` and Go's google/uuid read one. */
const uuid = z.guid()

/** A count, as the Rust client reads it. */
const count = z.int32()

/** What the command's Rust client, and the Go SDK, insist on. In Go the times are `time.Time`. */
export const reads = {
  prepare: z.object({ device_link_id: uuid, device_link_token: z.string(), device_link_url: z.url() }),
  link: z.object({ cloud_token: z.string().nullish(), watch: z.object({ index: z.string() }) }),
  inspect: z.object({ agent: z.object({ game_cloud: z.object({ game_id: uuid }) }) }),
  bootstrap: z.object({
    access: z.enum(['public', 'private']),
    captcha: z.object({ turnstile: z.object({ site_key: z.string() }).nullish() }),
    cluster: z.enum(['enterprise', 'oss']),
    domains: z.object({ cdn: z.string(), job: z.string(), main: z.string() }).nullish(),
    login_methods: z.object({ access_token: z.boolean(), email: z.boolean() }),
    origins: z.object({ hub: z.url() }),
  }),
  game: z.object({
    game: z.object({
      game_id: uuid,
      create_ts: z.iso.datetime(),
      name_id: z.string(),
      display_name: z.string(),
      developer_group_id: uuid,
      total_player_count: count,
      namespaces: z.array(
        z.object({
          namespace_id: uuid,
          create_ts: z.iso.datetime(),
          display_name: z.string(),
          version_id: uuid,
          name_id: z.string(),
        }),
      ),
      versions: z.array(z.object({ version_id: uuid, create_ts: z.iso.datetime(), display_name: z.string() })),
      available_regions: z.array(
        z.object({
          region_id: uuid,
          region_name_id: z.string(),
          provider: z.string(),
          universal_region: z.string(),
          provider_display_name: z.string(),
          region_display_name: z.string(),
        }),
      ),
    }),
    watch: z.object({ index: z.string() }),
  }),
  token: z.object({ token: z.string() }),
  /** Of no use to the command: it only looks whether the call succeeded. */
  nothing: z.unknown(),
  lobbies: z.object({
    game_modes: z.array(z.object({ game_mode_id: z.string() })),
    lobbies: z.array(
      z.object({
        lobby_id: uuid,
        region_id: z.string(),
        game_mode_id: z.string(),
        max_players_normal: count,
        max_players_direct: count,
        max_players_party: count,
        total_player_count: count,
      }),
    ),
    regions: z.array(z.object({ region_id: z.string() })),
  }),
  join: z.object({
    lobby: z.object({
      lobby_id: uuid,
      region: z.object({ region_id: z.string(), display_name: z.string() }),
      ports: z.record(z.string(), z.unknown()),
      player: z.object({ token: z.string() }),
    }),
    ports: z.record(
      z.string(),
      z.object({
        host: z.string().nullish(),
        hostname: z.string(),
        port: count.nullish(),
        port_range: z.object({ min: count, max: count }).nullish(),
        is_tls: z.boolean(),
      }),
    ),
    player: z.object({ token: z.string() }),
  }),
}

interface Call<Read extends z.ZodType> {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly token?: string
  readonly body?: object
  readonly read: Read
}

/**
 * Makes a call of the service's command line tool, and reads its answer. Throws where the tool would give up.
 * Sources: rivet-gg/cli v1.3.1, core/src/ctx.rs, cli/src/commands/sidekick, sdks/rust; the names of headers are hyper's.
 * The types are those of rivet-gg/rivet v24.1.0, sdks/go, too.
 */
export async function callAsCli<Read extends z.ZodType>(url: string, call: Call<Read>): Promise<z.infer<Read>> {
  const { method, path, token, body, read } = call
  const text = body === undefined ? '' : JSON.stringify(body)
  const head = [
    `${method} ${path} HTTP/1.1`,
    'user-agent: CLI/1.3.1 (6d86f3a)',
    ...(token === undefined ? [] : [`authorization: Bearer ${token}`]),
    ...(body === undefined ? [] : ['content-type: application/json']),
    'accept: */*',
    `host: ${new URL(url).host}`,
    ...(method === 'GET' ? [] : [`content-length: ${Buffer.byteLength(text)}`]),
  ]
  const answer = await exchange(url, httpText(head, text))
  if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`)
  return read.parse(answer.body === '' ? null : JSON.parse(answer.body))
}
