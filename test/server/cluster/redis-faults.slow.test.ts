import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { UsageError } from '../../../src/core/lib/messages.js'
import type { KeptWorld } from '../../../src/core/storage/storage.js'
import { StorageError } from '../../../src/core/storage/storage.js'
import { openRedis } from '../../../src/server/cluster/redis.js'
import type { ReplicaTimes } from '../../../src/server/cluster/replica-storage.js'
import { folder, freePort, serveJson } from '../../support/command.js'
import { appendAll, line, revisionsOf } from '../../support/kept-worlds.js'
import { RedisServer } from '../../support/redis-server.js'
import { createWorld, newAddress, openWorld, patient, replicaOf } from '../../support/replicas.js'

/** Starts a server that ends after the test. */
async function serve(...options: readonly string[]): Promise<RedisServer> {
  const server = await RedisServer.start(...options)
  onTestFinished(() => server.stop())
  return server
}

/** Shorter times than those of users. A busy machine may need a second for a renewal. */
const shortTimes: ReplicaTimes = {
  ...{ leaseMs: 1_800, countsMs: 1_500, renewMs: 200 },
  ...{ retryMs: 20, refreshMs: 1_000, waitMs: 20_000 },
}

/** A replica that notices a silence soon, and keeps what it reports. */
async function watchfulReplica(server: RedisServer, { silenceMs = 1_500 } = {}) {
  const reports: string[] = []
  const report = (text: string) => void reports.push(text)
  const storage = await replicaOf(server, { times: shortTimes, silenceMs, report })
  return { storage, reports }
}

/** Tries again until a check passes. */
const eventually = <Value>(check: () => Value | Promise<Value>) => vi.waitFor(check, { timeout: 20_000, interval: 10 })

/** The end of the wait for the lines of a world. */
async function outcomeOf(world: KeptWorld): Promise<string> {
  try {
    await world.settled()
    return 'kept'
  } catch (error) {
    if (error instanceof StorageError) return error.message
    throw error
  }
}

async function refusalOf(url: string, { silenceMs }: { silenceMs: number } = patient): Promise<string> {
  try {
    const storage = await openRedis(url, { address: newAddress(), silenceMs })
    await storage.leave()
    return 'none'
  } catch (error) {
    if (error instanceof UsageError) return error.message
    throw error
  }
}

/** Starts a server that gives these replies to the first word of each command, and nothing else. */
async function pretend(replies: Readonly<Record<string, string>>): Promise<string> {
  const server = createServer(socket => {
    socket.on('error', () => {})
    socket.on('data', data => {
      for (const [, word = ''] of String(data).matchAll(/\*\d+\r\n\$\d+\r\n(\w+)\r\n/g))
        socket.write(replies[word] ?? '')
    })
    onTestFinished(() => void socket.destroy())
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return `redis://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const isReplica =
  'it is a replica of another Redis, and takes no writes: point --data to its primary, or make it a primary with REPLICAOF NO ONE'

describe('the start', () => {
  it.each([
    ['nonsense', 'the URL of Redis is malformed: expected redis://host:port, or rediss://host:port with TLS'],
    [
      'http://user:hidden@host',
      '"http:" is no protocol of Redis: expected redis://host:port, or rediss://host:port with TLS',
    ],
    [
      'redis://user:hidden@',
      'the URL of Redis is malformed: expected redis://host:port, or rediss://host:port with TLS',
    ],
    ['redis://user:hidden@host/x', '"x" is no number of a database in Redis: leave it out, or use 0'],
    [
      'redis://user:hidden@127.0.0.1:1',
      'cannot use redis://127.0.0.1:1: nothing listens there: start Redis, or correct the address',
    ],
    [
      'redis://user:hidden@no-such-host.invalid',
      'cannot use redis://no-such-host.invalid: no machine has that name: correct the address',
    ],
  ])('refuses %s', async (url, message) => {
    expect(await refusalOf(url)).toBe(message)
  })

  it.each([
    ['~mockmaker:*', '+@read'],
    ['~mockmaker:*', '+@all', '-eval', '-evalsha'],
    ['~other:*', '+@all'],
  ])('refuses a user who may not do all that it needs: %s %s %s', async (...rights) => {
    const server = await serve()
    await server.send('ACL', 'SETUSER', 'some', 'on', '>hidden', ...rights)

    expect(await refusalOf(server.url.replace('//', '//some:hidden@'))).toBe(
      `cannot use ${server.url}: the user may not do this there: give it all commands and the keys of the prefix`,
    )
  })

  it('refuses a wrong password, and does not tell it', async () => {
    const server = await serve('--requirepass', 'right-one')
    const at = (user: string) => server.url.replace('//', `//${user}`)

    expect(await refusalOf(at(':wrong-one@'))).toBe(
      `cannot use ${server.url}: user or password is wrong: correct them in the URL`,
    )
    expect(await refusalOf(server.url)).toBe(
      `cannot use ${server.url}: it needs a password: add user and password to the URL`,
    )
    const storage = await openRedis(at(':right-one@'), { address: newAddress() })
    expect(storage.place).toBe(server.url)
    await storage.leave()
  })

  it('refuses a server that does not answer', async () => {
    const url = await pretend({})

    expect(await refusalOf(url, { silenceMs: 300 })).toBe(`cannot use ${url}: there was no answer in time`)
  })

  it.each([
    ['redis_version:6.2.14', 'it is Redis 6.2.14: use Redis 7 or later, or Valkey'],
    ['redis_version:7.2.0\r\nloading:1', 'it is still loading its data: start again in a moment'],
  ])('refuses a server that says %j', async (info, reason) => {
    const url = await pretend({ HELLO: '%1\r\n+server\r\n+redis\r\n', INFO: `$${info.length}\r\n${info}\r\n` })

    expect(await refusalOf(url)).toBe(`cannot keep worlds in ${url}: ${reason}`)
  })

  it.each([
    [['--cluster-enabled', 'yes'], 'it is a Redis Cluster: use a single server'],
    [
      ['--maxmemory-policy', 'allkeys-lru'],
      'it deletes keys when it is full (maxmemory-policy allkeys-lru): set maxmemory-policy to noeviction',
    ],
    [['--replicaof', '127.0.0.1 1'], isReplica],
  ])('refuses a server with %j', async (options, reason) => {
    const server = await serve(...options)

    expect(await refusalOf(server.url)).toBe(`cannot keep worlds in ${server.url}: ${reason}`)
  })

  it('refuses a format that is newer', async () => {
    const server = await serve()
    await server.send('HSET', 'mockmaker:meta', 'format', '2', 'log', 'x')

    expect(await refusalOf(server.url)).toBe(
      `${server.url} was written by another version of mockmaker (format 2): use that version, or another --data-prefix`,
    )
  })

  it('warns of a server that loses the last changes', async () => {
    const server = await serve('--appendonly', 'no')
    const { reports } = await watchfulReplica(server)

    expect(reports).toEqual([
      `${server.url} loses the last changes when it ends (appendonly no): set appendonly to yes to keep them`,
    ])
  })
})

// With `everysec`, a Redis whose disk is busy replies before it writes. Its owner then writes the world again.
const always = ['--appendfsync', 'always'] as const

describe('a server that is killed', () => {
  it('has all that it had acknowledged when it is back, and the world goes on', async () => {
    const server = await serve(...always)
    const { storage, reports } = await watchfulReplica(server)
    const world = await createWorld(storage, 'x')
    const acknowledged: number[] = []
    let revision = 10
    const write = async () => {
      revision += 1
      const own = revision
      world.append(line(own))
      if ((await outcomeOf(world)) === 'kept') acknowledged.push(own)
    }
    for (let i = 0; i < 50; i++) await write()
    const dying = write()
    await server.end('SIGKILL')
    await eventually(() => expect(() => storage.checkLease()).toThrow(StorageError))
    await dying
    await server.start()
    await eventually(() => storage.checkLease())
    await write()
    await storage.release('x')

    const stored = revisionsOf(await openWorld(storage, 'x')) ?? []
    expect(stored).toEqual(expect.arrayContaining(acknowledged))
    expect(acknowledged).toEqual(expect.arrayContaining([60, revision]))
    expect(reports.map(text => text.replace(/ \(.*\)/, ''))).toEqual([
      `${server.url} does not answer. Start it again: the mock keeps trying`,
      `${server.url} answers again`,
    ])
  })

  it('and is back with an older state gets it from living owners, before others get their worlds', async () => {
    const server = await serve(...always)
    const times = { ...shortTimes, leaseMs: 3_000 }
    const [a, b] = [await replicaOf(server, { times }), await replicaOf(server, { times })]
    const earlier = await createWorld(a, 'x')
    appendAll(earlier, 11, 12, 13)
    await earlier.settled()
    const putBack = server.keepFiles()
    a.delete('x')
    await a.flush('x')
    const world = await createWorld(a, 'x')
    appendAll(world, 11)
    await world.settled()
    await server.end('SIGKILL')
    putBack()
    await eventually(() => expect(() => b.checkLease()).toThrow(StorageError))
    await server.start()
    const claim = eventually(() => b.claim('x', { create: true }))
    await eventually(() => expect(world.needsBase).toBe(true))
    // The lease begins again a moment later.
    await eventually(() => world.replaceBase({ parts: ['"state 11"'], revision: 11, originHash: world.originHash }))

    expect(await claim).toMatchObject({ kind: 'other', owner: a.self })
    appendAll(world, 12)
    expect(await outcomeOf(world)).toBe('kept')
    const copy = await eventually(() => b.read('x'))
    expect([copy?.born, copy?.base, revisionsOf(copy)]).toEqual([world.born, '"state 11"', [12]])
  })

  it('and starts empty is another one: nothing is answered any more', async () => {
    const server = await serve()
    const { storage, reports } = await watchfulReplica(server)
    const world = await createWorld(storage, 'x')
    await server.end('SIGKILL')
    server.forget()
    await server.start()
    const sentence = `${server.url} has lost all worlds, or it is another server: its log has another id. Start mockmaker again to begin anew there`
    await eventually(() => expect(reports).toContain(sentence))

    expect(await outcomeOf(world)).toBe(sentence)
    await expect(storage.claim('y', { create: true })).rejects.toThrow(sentence)
    expect(await server.send('KEYS', '*')).toEqual([])
  })
})

describe('a server that hangs', () => {
  it('stops answers within the time of the lease, and they go on when it does', async () => {
    const server = await serve()
    const { storage } = await watchfulReplica(server)
    const world = await createWorld(storage, 'x')
    server.signal('SIGSTOP')
    const began = performance.now()
    world.append(line(11))

    expect(await outcomeOf(world)).toContain(`${server.url} does not answer`)
    expect(performance.now() - began).toBeLessThan(shortTimes.countsMs + 500)
    server.signal('SIGCONT')
    await eventually(() => storage.checkLease())
    appendAll(world, 12)
    expect(await outcomeOf(world)).toBe('kept')
    await storage.release('x')
    expect(revisionsOf(await openWorld(storage, 'x'))).toEqual([11, 12])
  })
})

describe('a server that has forgotten its scripts', () => {
  it('gets them again, and the lines keep their order', async () => {
    const server = await serve()
    const storage = await replicaOf(server)
    const world = await createWorld(storage, 'x')
    await server.send('SCRIPT', 'FLUSH')
    appendAll(world, 11, 12, 13)

    expect(await outcomeOf(world)).toBe('kept')
    await storage.release('x')
    expect(revisionsOf(await openWorld(storage, 'x'))).toEqual([11, 12, 13])
  })
})

describe('a full server', () => {
  it('costs no lease, and worlds can be read and deleted there', async () => {
    const server = await serve()
    const { storage } = await watchfulReplica(server)
    const world = await createWorld(storage, 'x')
    await server.send('CONFIG', 'SET', 'maxmemory', '1')
    const change = async () => {
      world.append(line(11))
      await world.settled()
    }
    await expect(change()).rejects.toThrow('it is full')
    // Some leases later.
    const opened = await openWorld(storage, 'x')
    const ends = performance.now() + shortTimes.leaseMs * 2
    await eventually(() => expect(performance.now()).toBeGreaterThan(ends))

    // A busy machine may renew it a moment late.
    await eventually(() => storage.checkLease())
    expect(storage.open('x')).toBe(opened)
    expect(storage.trouble).toContain('it is full')
    expect(revisionsOf(await storage.read('x'))).toEqual([])
    storage.delete('x')
    await storage.flush('x')
    expect(await storage.refresh()).toEqual([])
  })
})

describe('a server that becomes a replica of another one', () => {
  it('ends the lease, says so, and gives it back with all lines when it is a primary again', async () => {
    const server = await serve()
    // A silence of a busy machine would be another reason.
    const { storage, reports } = await watchfulReplica(server, { silenceMs: 20_000 })
    const world = await createWorld(storage, 'x')
    appendAll(world, 11)
    await world.settled()

    // Nothing listens there, so it keeps what it has.
    await server.send('REPLICAOF', '127.0.0.1', '1')
    const refusal = `${server.url} refuses commands, because ${isReplica}. The mock keeps trying`
    await eventually(() => expect(() => storage.checkLease()).toThrow(refusal))
    expect(() => appendAll(world, 12)).toThrow(refusal)
    await server.send('REPLICAOF', 'NO', 'ONE')
    // The next look at the server ends the refusal.
    await eventually(() => appendAll(world, 12))

    expect(await outcomeOf(world)).toBe('kept')
    expect(revisionsOf(await storage.read('x'))).toEqual([11, 12])
    await eventually(() => expect(reports).toContain(`${server.url} takes changes again`))
    expect(reports.sort()).toEqual([refusal, `${server.url} answers again`, `${server.url} takes changes again`].sort())
  })
})

/** Starts a server that speaks TLS on a port of its own, with a certificate that it has signed itself. */
async function serveTls() {
  const place = await folder()
  const [key, cert] = [join(place, 'key.pem'), join(place, 'cert.pem')]
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const made = spawnSync('openssl', [
    'req',
    '-x509',
    '-nodes',
    '-newkey',
    'rsa:2048',
    '-keyout',
    key,
    '-out',
    cert,
    ...names,
  ])
  expect(made.status).toBe(0)
  const files = ['--tls-cert-file', cert, '--tls-key-file', key, '--tls-auth-clients', 'no']
  for (let attempt = 1; ; attempt++) {
    const port = await freePort()
    try {
      const server = await serve('--tls-port', String(port), ...files, '--requirepass', 'hidden')
      return { server, cert, url: `rediss://:hidden@localhost:${port}` }
    } catch (error) {
      // Somebody else may have taken the port meanwhile.
      if (attempt === 3) throw error
    }
  }
}

describe('a server with TLS', () => {
  it('is refused if nobody known has signed its certificate', async () => {
    const { url } = await serveTls()

    expect(await refusalOf(url)).toBe(
      `cannot use ${url.replace(':hidden@', '')}: no authority that Node knows has signed its certificate: name the file of that authority in NODE_EXTRA_CA_CERTS`,
    )
  })

  it('keeps worlds for the command', async () => {
    const { server, cert, url } = await serveTls()
    const command = await serveJson(['--data', url, '--data-prefix', 'tls:'], { env: { NODE_EXTRA_CA_CERTS: cert } })
    await fetch(`${command.url}/matchmaker/lobbies/list`)
    const list = await (await fetch(`${command.url}/__mock/replicas`)).text()

    expect(list).toContain('default')
    expect(`${command.output()}${command.errors()}${list}`).not.toContain('hidden')
    command.signal('SIGTERM')
    expect((await command.exited).code).toBe(0)
    expect(await server.send('EXISTS', 'tls:world:default')).toBe(1)
  })

  it('is refused where it speaks none', async () => {
    const server = await serve()
    const url = server.url.replace('redis:', 'rediss:')

    expect(await refusalOf(url)).toBe(
      `cannot use ${url}: there was no answer in time: if it speaks no TLS there, use redis://`,
    )
  })
})
