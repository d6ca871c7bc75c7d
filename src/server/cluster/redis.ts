import { createHash } from 'node:crypto'
import { quoted, UsageError } from '../../core/lib/messages.js'
import { tooOld } from '../../core/lib/peers.js'
import type { SharedStorage } from '../../core/storage/shared-storage.js'
import { installedVersion } from '../files/installed-version.js'
import { type RedisClient, RedisError, type Renewal, type Reply, type ScriptCommand } from './redis-client.js'
import { joinReplicas, type ReplicaOptions } from './replica-storage.js'
import script from './replicas.lua'

export interface RedisOptions {
  /** Begins each key. Default: `mockmaker:`. */
  readonly prefix?: string | undefined
  /** Gets a sentence about settings of the server that lose worlds. */
  readonly report?: (text: string) => void
  /** The time without a byte after which a connection counts as broken, in ms. Default: 2.5 s for leases, 5 s for all else. */
  readonly silenceMs?: number | undefined
}

type Library = typeof import('@redis/client')

/** A connection of the library. Its own type depends on all modules of Redis. */
interface Connection {
  connect(): Promise<unknown>
  sendCommand(args: readonly string[]): Promise<unknown>
  destroy(): void
  on(event: 'ready' | 'error', listener: (error?: Error) => void): unknown
}

interface Target {
  /** Without user and password. */
  readonly place: string
  readonly host: string
  readonly port: number
  readonly tls: boolean
  readonly username: string | undefined
  readonly password: string | undefined
  readonly database: number
}

/** Connects to Redis, and joins its replicas. Rejects with `UsageError`, without user and password. */
export async function openRedis(url: string, options: RedisOptions & ReplicaOptions): Promise<SharedStorage> {
  const target = parseRedisUrl(url)
  const redis = new RedisConnection(await loadLibrary(), target, options)
  try {
    await redis.connect()
  } catch (error) {
    redis.close()
    throw error instanceof RedisError ? new UsageError(`cannot use ${target.place}: ${error.message}`) : error
  }
  return await joinReplicas(redis, options)
}

function parseRedisUrl(url: string): Target {
  const expected = 'expected redis://host:port, or rediss://host:port with TLS'
  let parsed: URL
  try {
    parsed = new URL(url)
  } catch {
    throw new UsageError(`the URL of Redis is malformed: ${expected}`)
  }
  const { protocol, hostname, port, pathname } = parsed
  if (protocol !== 'redis:' && protocol !== 'rediss:')
    throw new UsageError(`${quoted(protocol)} is no protocol of Redis: ${expected}`)
  if (hostname === '') throw new UsageError(`the URL of Redis names no host: ${expected}`)
  const database = /^\/?(\d*)$/.exec(pathname)?.[1]
  if (database === undefined)
    throw new UsageError(`${quoted(pathname.slice(1))} is no number of a database in Redis: leave it out, or use 0`)
  const shownPort = port === '' ? '' : `:${port}`
  const shownDatabase = database === '' ? '' : `/${database}`
  return {
    place: `${protocol}//${hostname}${shownPort}${shownDatabase}`,
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? 6379 : Number(port),
    tls: protocol === 'rediss:',
    username: decoded(parsed.username),
    password: decoded(parsed.password),
    database: Number(database),
  }
}

function decoded(text: string): string | undefined {
  if (text === '') return undefined
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Loads the library. It is an optional peer, and needed for Redis alone. */
async function loadLibrary(): Promise<Library> {
  try {
    const library: Partial<Library> = await import('@redis/client')
    // The newest of the names.
    if (library.SocketTimeoutError) return library as Library
  } catch (cause) {
    throw new UsageError('worlds in Redis need the package @redis/client: npm install @redis/client', { cause })
  }
  throw tooOld('the storage of worlds in Redis', '@redis/client', { versionOf: installedVersion })
}

/** Commands that free memory, or take a few bytes. A full server runs them too. All others it refuses before they begin. */
const runWhenFull: ReadonlySet<ScriptCommand> = new Set<ScriptCommand>([
  ...(['enter', 'leave', 'replica', 'replicas', 'list', 'claim', 'resume', 'lines', 'read'] as const),
  ...(['abandon', 'note', 'release', 'delete'] as const),
])

/** The script with its flags: Redis looks at the first line. */
class Script {
  readonly text: string
  readonly sha: string

  constructor(flags: string) {
    this.text = script.replace(/^#!lua/, `#!lua${flags}`)
    this.sha = createHash('sha1').update(this.text).digest('hex')
  }
}

const usualScript = new Script('')
const scriptWhenFull = new Script(' flags=allow-oom')

class RedisConnection implements RedisClient {
  readonly place: string
  readonly #library: Library
  readonly #prefix: string
  readonly #report: (text: string) => void
  readonly #password: string | undefined
  readonly #usesTls: boolean
  readonly #commands: Connection
  readonly #leases: Connection
  /** True after the first connection: from then on, a lost one is made again. */
  #isStarted = false
  /** The last reason why there is no connection. */
  #trouble: unknown

  constructor(library: Library, target: Target, { prefix = 'mockmaker:', report, silenceMs }: RedisOptions) {
    this.place = target.place
    this.#library = library
    this.#prefix = prefix
    this.#report = report ?? (() => {})
    this.#password = target.password
    this.#usesTls = target.tls
    this.#commands = this.#connection(target, silenceMs ?? 5_000, { pings: true })
    this.#leases = this.#connection(target, silenceMs ?? 2_500, { pings: false })
  }

  async connect(): Promise<void> {
    try {
      await Promise.all([this.#commands.connect(), this.#leases.connect()])
      this.#check(String(await this.#commands.sendCommand(['INFO', 'everything'])))
    } catch (error) {
      throw error instanceof UsageError ? error : this.#redisError(error)
    }
    this.#isStarted = true
  }

  async run(command: ScriptCommand, args: readonly string[]): Promise<Reply> {
    const { text, sha } = runWhenFull.has(command) ? scriptWhenFull : usualScript
    try {
      const reply = await this.#commands.sendCommand(['EVALSHA', sha, '1', this.#prefix, command, ...args])
      return reply as Reply // the script replies so
    } catch (error) {
      if (!isReply(error, 'NOSCRIPT')) throw this.#redisError(error)
    }
    // The server is new, or somebody flushed its scripts.
    try {
      return (await this.#commands.sendCommand(['EVAL', text, '1', this.#prefix, command, ...args])) as Reply // as above
    } catch (error) {
      throw this.#redisError(error)
    }
  }

  async renew(replicaId: string, leaseMs: number): Promise<Renewal> {
    try {
      const [isHeld, time] = await Promise.all([
        this.#leases.sendCommand(['PEXPIRE', `${this.#prefix}lease:${replicaId}`, String(leaseMs)]),
        this.#leases.sendCommand(['TIME']),
      ])
      const [seconds, microseconds] = time as readonly string[] // Redis replies so
      return { isHeld: isHeld === 1, serverNow: Number(seconds) * 1_000 + Number(microseconds) / 1_000 }
    } catch (error) {
      throw this.#redisError(error)
    }
  }

  onConnect(listener: () => void): void {
    this.#commands.on('ready', () => {
      if (this.#isStarted) listener()
    })
  }

  close(): void {
    this.#isStarted = false
    this.#commands.destroy()
    this.#leases.destroy()
  }

  #connection(target: Target, silenceMs: number, { pings }: { readonly pings: boolean }): Connection {
    const { host, port, tls, username, password, database } = target
    // `createClient` makes a class with hundreds of commands for each connection. Version 5.1 has nothing else.
    const create = this.#library.RedisClient?.factory() ?? this.#library.createClient
    const connection: Connection = create({
      ...(username === undefined ? {} : { username }),
      ...(password === undefined ? {} : { password }),
      database,
      // A command of an earlier connection must not come late.
      disableOfflineQueue: true,
      disableClientInfo: true,
      maintNotifications: 'disabled',
      // No timer for each command, which would take a fifth of its time: the time without a byte ends them too.
      commandOptions: { timeout: 0 },
      ...(pings ? { pingInterval: Math.ceil(silenceMs / 3) } : {}),
      socket: {
        host,
        port,
        ...(tls ? { tls } : {}),
        connectTimeout: Math.min(silenceMs, 2_000),
        socketTimeout: silenceMs,
        reconnectStrategy: retries => this.#isStarted && Math.min(25 * 2 ** retries, 500),
      },
    }) as never // only the parts in `Connection` are used
    connection.on('error', error => {
      this.#trouble = error
    })
    return connection
  }

  /** Throws `UsageError` if worlds are not safe there. */
  #check(info: string): void {
    const fields = new Map(info.split('\r\n').map(line => line.split(':', 2) as [string, string]))
    const version = fields.get('redis_version') ?? ''
    const refuse = (reason: string) => {
      throw new UsageError(`cannot keep worlds in ${this.place}: ${reason}`)
    }
    if (Number.parseInt(version, 10) < 7) refuse(`it is Redis ${version}: use Redis 7 or later, or Valkey`)
    if (fields.get('redis_mode') === 'cluster') refuse('it is a Redis Cluster: use a single server')
    if (fields.get('role') === 'slave') refuse(replyReasons.READONLY)
    if (fields.get('loading') === '1') refuse('it is still loading its data: start again in a moment')
    const policy = fields.get('maxmemory_policy') ?? 'noeviction'
    if (policy !== 'noeviction')
      refuse(`it deletes keys when it is full (maxmemory-policy ${policy}): set maxmemory-policy to noeviction`)
    if (fields.get('aof_enabled') === '0')
      this.#report(
        `${this.place} loses the last changes when it ends (appendonly no): set appendonly to yes to keep them`,
      )
  }

  #redisError(error: unknown): RedisError {
    // An argument that is no text.
    if (error instanceof TypeError) throw error
    if (isReply(error)) {
      const isLater = isReply(error, '(?:LOADING|BUSY|TRYAGAIN|MASTERDOWN)')
      return new RedisError(isLater ? 'unready' : 'refused', this.#redacted(replyReason(error)))
    }
    // While there is no connection, the reason for that says more.
    const cause = error instanceof this.#library.ClientOfflineError ? (this.#trouble ?? error) : error
    if (isReply(cause)) return new RedisError('unready', this.#redacted(replyReason(cause)))
    const reason = this.#redacted(connectionReason(cause))
    const isSilent = reason === silent && this.#usesTls && !this.#isStarted
    return new RedisError('away', isSilent ? `${reason}: if it speaks no TLS there, use redis://` : reason)
  }

  #redacted(text: string): string {
    return this.#password === undefined ? text : text.replaceAll(this.#password, '…')
  }
}

function isReply(error: unknown, word = '[A-Z]+'): error is Error {
  return error instanceof Error && new RegExp(`^${word} `).test(error.message) && !('code' in error)
}

const replyReasons = {
  OOM: 'it is full: free memory there, or raise its maxmemory',
  READONLY:
    'it is a replica of another Redis, and takes no writes: point --data to its primary, or make it a primary with REPLICAOF NO ONE',
  MISCONF: 'it cannot write to its disk: see its log',
  NOREPLICAS: 'it has too few replicas of its own (min-replicas-to-write)',
  WRONGPASS: 'user or password is wrong: correct them in the URL',
  NOAUTH: 'it needs a password: add user and password to the URL',
  NOPERM: 'the user may not do this there: give it all commands and the keys of the prefix',
  LOADING: 'it is still loading its data',
  BUSY: 'it is busy with a script',
} as const

function replyReason({ message }: Error): string {
  const reasons: Readonly<Record<string, string>> = replyReasons
  return reasons[/^[A-Z]+/.exec(message)?.[0] ?? ''] ?? message
}

const silent = 'there was no answer in time'

const untrusted =
  'no authority that Node knows has signed its certificate: name the file of that authority in NODE_EXTRA_CA_CERTS'

const connectionReasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there: start Redis, or correct the address',
  ECONNRESET: 'the connection broke',
  EPIPE: 'the connection broke',
  ENOTFOUND: 'no machine has that name: correct the address',
  EAI_AGAIN: 'no machine has that name: correct the address',
  EHOSTUNREACH: 'no route leads to that machine',
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name: use the name that it has',
  ETIMEDOUT: silent,
}

function connectionReason(error: unknown): string {
  if (!(error instanceof Error)) return 'the connection broke'
  const { code = '' } = error as { readonly code?: string }
  if (/timeout/i.test(error.message)) return silent
  if (/closed|offline/i.test(error.message)) return 'the connection broke'
  return connectionReasons[code] ?? error.message
}
