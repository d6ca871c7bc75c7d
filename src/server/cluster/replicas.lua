#!lua
-- The commands of replicas that share a storage. KEYS[1] is the prefix of all keys.
-- ARGV: the command, the id of the log as the replica knows it, the id of the replica, and further arguments.
-- Each reply is a list, and begins with a word. Numbers are texts, because Lua would round them.
local prefix, command, log, self = KEYS[1], ARGV[1], ARGV[2], ARGV[3]
local meta, worlds, replicas = prefix .. 'meta', prefix .. 'worlds', prefix .. 'replicas'

if command ~= 'enter' and redis.call('HGET', meta, 'log') ~= log then
  return { 'log' }
end

-- Appends a line, with the origins that it is the first to name. A line that is there already is acknowledged again. Arguments: id,
-- epoch, revision before, revision, line, hashes and texts of origins. Each change of a world waits for this. So it comes before the
-- functions: to make them takes four times as long.
if command == 'append' then
  local id, before, revision, line = ARGV[4], ARGV[6], ARGV[7], ARGV[8]
  local world = prefix .. 'world:' .. id
  local fields = redis.call('HMGET', world, 'owner', 'epoch', 'revision', 'log_bytes')
  local stored = fields[3]
  if fields[1] == self and fields[2] == ARGV[5] and stored then
    if tonumber(revision) <= tonumber(stored) then
      return { 'ok' }
    end
    if stored ~= before then
      return { 'gap', stored }
    end
    local bytes = string.format('%.0f', fields[4] + #line)
    redis.call('XADD', prefix .. 'log:' .. id, revision .. '-0', 'line', line)
    for i = 9, #ARGV, 2 do
      if redis.call('HSETNX', prefix .. 'origins:' .. id, ARGV[i], ARGV[i + 1]) == 1 then
        redis.call('HINCRBY', world, 'origin_bytes', #ARGV[i + 1])
      end
    end
    redis.call('HSET', world, 'revision', revision, 'log_bytes', bytes)
    return { 'ok' }
  end
end

local function key(kind, id)
  return prefix .. kind .. ':' .. id
end

local function text(number)
  return string.format('%.0f', number)
end

local function now()
  local time = redis.call('TIME')
  return text(time[1] * 1000 + math.floor(time[2] / 1000))
end

-- Returns what a replica wrote into its lease, or false if the lease has ended.
local function infoOf(replica)
  return replica ~= false and replica ~= '' and redis.call('GET', key('lease', replica))
end

-- Returns the fields of a world. Those that are missing are false.
local function fieldsOf(id, ...)
  return redis.call('HMGET', key('world', id), ...)
end

local function lost(owner)
  return { 'lost', owner ~= self and infoOf(owner) or '' }
end

-- Returns a refusal, unless the replica owns the world by that epoch.
local function fence(id, epoch)
  local fields = fieldsOf(id, 'owner', 'epoch')
  if fields[1] ~= self or fields[2] ~= epoch then
    return lost(fields[1])
  end
  return nil
end

local function runId()
  return redis.call('INFO', 'server'):match('run_id:(%w+)')
end

-- Returns the ms since a replica first came to this process of the server, and the newest epoch of that moment. A process that was
-- started again, or took the place of another one, may have an older state.
local function runFor()
  local fields = redis.call('HMGET', meta, 'run', 'run_since', 'run_epoch', 'epoch')
  local run, time = runId(), tonumber(now())
  if fields[1] == run and tonumber(fields[2]) <= time then
    return time - fields[2], fields[3]
  end
  redis.call('HSET', meta, 'run', run, 'run_since', text(time), 'run_epoch', fields[4])
  return 0, fields[4]
end

-- Epochs begin with the time, in microseconds: a server that goes back to an older state gives none out again.
local function nextEpoch()
  -- It notes the newest epoch first, if the server has started again.
  runFor()
  local time = redis.call('TIME')
  local epoch = math.max(redis.call('HGET', meta, 'epoch') + 1, time[1] * 1000000 + time[2])
  redis.call('HSET', meta, 'epoch', text(epoch))
  return text(epoch)
end

local function putOrigins(id, list, from, to)
  for i = from, to, 2 do
    if redis.call('HSETNX', key('origins', id), list[i], list[i + 1]) == 1 then
      redis.call('HINCRBY', key('world', id), 'origin_bytes', #list[i + 1])
    end
  end
end

local function dropNewBase(id)
  redis.call('UNLINK', key('base-new', id))
  redis.call('HDEL', key('world', id), 'new_base')
end

local commands = {}

-- Begins or renews a lease. The first replica begins the log.
function commands.enter(info, leaseMs, format, newLog, secret)
  local fields = redis.call('HMGET', meta, 'format', 'log', 'secret', 'settings')
  if log ~= '' and fields[2] ~= log then
    return { 'log' }
  end
  if fields[1] and fields[1] ~= format then
    return { 'format', fields[1] }
  end
  local address = cjson.decode(info).address
  for _, replica in ipairs(redis.call('SMEMBERS', replicas)) do
    local other = infoOf(replica)
    if not other then
      redis.call('SREM', replicas, replica)
    elseif replica ~= self and cjson.decode(other).address == address then
      return { 'address', other }
    end
  end
  if not fields[1] then
    -- Nobody can have had a world before.
    redis.call('HSET', meta, 'format', format, 'log', newLog, 'secret', secret, 'epoch', '0', 'run', runId(),
      'run_since', '0', 'run_epoch', '0')
    fields = { format, newLog, secret, false }
  end
  runFor()
  redis.call('SET', key('lease', self), info, 'PX', leaseMs)
  redis.call('SADD', replicas, self)
  return { 'ok', fields[2], fields[3], fields[4] or '' }
end

function commands.leave()
  redis.call('DEL', key('lease', self))
  redis.call('SREM', replicas, self)
  return { 'ok' }
end

function commands.replica(id)
  return { 'ok', infoOf(id) or '' }
end

local function living()
  local infos = {}
  for _, replica in ipairs(redis.call('SMEMBERS', replicas)) do
    local info = infoOf(replica)
    if info then
      infos[#infos + 1] = info
    end
  end
  return infos
end

function commands.replicas()
  return { 'ok', living() }
end

-- Lists the worlds. The owner is empty if its lease has ended.
function commands.list()
  local rows, infos = {}, { [''] = '' }
  for _, id in ipairs(redis.call('SMEMBERS', worlds)) do
    local fields = fieldsOf(
      id, 'owner', 'epoch', 'claimed_at', 'taken_from', 'revision', 'summary', 'log_bytes', 'base_bytes', 'origin_bytes'
    )
    if fields[6] then
      local owner = fields[1] or ''
      infos[owner] = infos[owner] or infoOf(owner) or ''
      local bytes = text(fields[7] + fields[8] + fields[9])
      rows[#rows + 1] = { id, infos[owner], fields[2], fields[3], fields[4], fields[5], fields[6], bytes }
    end
  end
  return { 'ok', redis.call('HGET', meta, 'settings') or '', rows }
end

-- Replaces the settings, if they are those that the replica knows. An empty text stands for none.
function commands.settings(before, after)
  local stored = redis.call('HGET', meta, 'settings') or ''
  if stored == after then
    return { 'ok' }
  end
  if stored ~= before then
    return { 'changed', stored }
  end
  if after == '' then
    redis.call('HDEL', meta, 'settings')
  else
    redis.call('HSET', meta, 'settings', after)
  end
  return { 'ok' }
end

-- Does nothing. A server that takes no changes refuses it.
function commands.probe()
  return { 'ok' }
end

-- Claims a world, unless the lease of another owner lasts. The replica reads the content after each claim. The last word of
-- the reply is 1 if the owner before had not given the world back. After a start of the server, living owners come first, for the
-- time of a lease: the reply says how long to wait.
function commands.claim(id, create, leaseMs)
  if not infoOf(self) then
    return { 'lease' }
  end
  local fields = fieldsOf(id, 'owner', 'epoch', 'born')
  local owner, epoch, born = fields[1] or '', fields[2], fields[3]
  local info = owner ~= self and infoOf(owner)
  if info then
    return { 'other', info, epoch }
  end
  local rest = leaseMs - runFor()
  if rest > 0 then
    return { 'wait', text(rest) }
  end
  if not born and create ~= '1' then
    if owner ~= self then
      redis.call('DEL', key('world', id))
    end
    return { 'absent' }
  end
  epoch = nextEpoch()
  redis.call('HSET', key('world', id), 'owner', self, 'epoch', epoch)
  if owner ~= self then
    redis.call('HSET', key('world', id), 'claimed_at', now(), 'taken_from', owner)
  end
  redis.call('HDEL', key('world', id), 'regained')
  dropNewBase(id)
  if not born then
    return { 'new', epoch }
  end
  redis.call('HINCRBY', key('world', id), 'starts', 1)
  return { 'mine', epoch, owner == '' and '0' or '1' }
end

-- Tells whether the replica still owns a world, and its stored revision. If not, and the epoch of the replica is newer than what the
-- server knows, the server has lost the claim: it went back to an older state. The replica then gets the world back, with a new
-- epoch, unless another one has claimed it since. What is stored may be of another owner, or of an earlier world of that id, so that
-- the next base replaces everything. `regained` keeps the epoch of the replica until then.
local function resumed(id, epoch, born, leaseMs)
  local fields = fieldsOf(id, 'owner', 'epoch', 'born', 'revision', 'regained')
  local owner, newest, regained = fields[1], fields[2], fields[5]
  local isOwn = owner == self and newest == epoch
  if isOwn and fields[3] == born and not regained then
    return { 'mine', fields[4] or '' }
  end
  -- The replica asked before, and the reply is on its way, or was lost.
  if owner == self and regained and (isOwn or regained == epoch) then
    return { 'regained', newest }
  end
  local sinceMs, restored = runFor()
  local isSettling = sinceMs < tonumber(leaseMs)
  local known = regained or newest or (isSettling and restored) or redis.call('HGET', meta, 'epoch')
  -- Nobody claims a world while the server is settling, so that any other owner is one of before.
  local isOther = owner ~= self and not isSettling and infoOf(owner)
  if not isOwn and (isOther or tonumber(known) >= tonumber(epoch)) then
    return lost(owner)
  end
  if tonumber(redis.call('HGET', meta, 'epoch')) < tonumber(epoch) then
    redis.call('HSET', meta, 'epoch', epoch)
  end
  local next = nextEpoch()
  redis.call('HSET', key('world', id), 'owner', self, 'epoch', next, 'claimed_at', now(), 'taken_from', '',
    'regained', epoch)
  dropNewBase(id)
  return { 'regained', next }
end

-- Tells it for each world. Arguments: the time of a lease, and ids, epochs, and what `create` got as `born`.
function commands.resume(leaseMs, ...)
  local list, replies = { ... }, {}
  for i = 1, #list, 3 do
    replies[#replies + 1] = resumed(list[i], list[i + 1], list[i + 2], leaseMs)
  end
  return { 'ok', replies }
end

-- Reads the lines after a revision. Without an epoch, any replica may own the world.
function commands.lines(id, epoch, after, count)
  local born, lines = fieldsOf(id, 'born')[1], {}
  if not born then
    return { 'absent' }
  end
  for _, entry in ipairs(redis.call('XRANGE', key('log', id), '(' .. after .. '-0', '+', 'COUNT', count)) do
    lines[#lines + 1] = entry[1]
    lines[#lines + 1] = entry[2][2]
  end
  return { 'ok', born, lines }
end

-- Reads the rest of a world.
function commands.read(id, epoch)
  local fields = fieldsOf(id, 'born', 'starts', 'revision', 'base_revision', 'origin', 'time', 'summary', 'log_bytes')
  if not fields[1] then
    return { 'absent' }
  end
  return {
    'ok', fields[1], fields[2], fields[3], fields[4], fields[5], fields[6] or '', fields[7], fields[8],
    redis.call('HGETALL', key('origins', id)), redis.call('GET', key('base', id)) or '',
  }
end

-- Creates a world. Without an epoch it is claimed too. `born` is a random id: with the same one the command was sent again.
function commands.create(id, epoch, born, revision, summary, hash, origin, base)
  local fields = fieldsOf(id, 'owner', 'epoch', 'born')
  local owner = fields[1] or ''
  if owner == self and fields[3] == born then
    return { 'ok', fields[2] }
  end
  if owner ~= self and infoOf(owner) then
    return lost(owner)
  end
  if fields[3] then
    return { 'exists' }
  end
  if epoch == '' then
    epoch = nextEpoch()
  elseif owner ~= self or fields[2] ~= epoch then
    return lost(owner)
  end
  redis.call('UNLINK', key('log', id), key('base', id), key('origins', id))
  dropNewBase(id)
  redis.call('HDEL', key('world', id), 'regained')
  redis.call('HSET', key('origins', id), hash, origin)
  if base ~= '' then
    redis.call('SET', key('base', id), base)
  end
  redis.call('HSET', key('world', id),
    'owner', self, 'epoch', epoch, 'claimed_at', now(), 'taken_from', '', 'born', born, 'starts', '1',
    'revision', revision, 'base_revision', revision, 'origin', hash, 'summary', summary,
    'log_bytes', '0', 'base_bytes', #base, 'origin_bytes', #origin)
  redis.call('SADD', worlds, id)
  return { 'ok', epoch }
end

-- Refuses a line that was not appended above: another replica owns the world, or it was never created.
function commands.append()
  return { 'lost', '' }
end

-- Adds a part to the next base. `attempt` names that base: after a break, a part of an earlier one may come late.
function commands.part(id, epoch, attempt, isFirst, part)
  if isFirst == '1' then
    redis.call('UNLINK', key('base-new', id))
    redis.call('HSET', key('world', id), 'new_base', attempt)
  elseif fieldsOf(id, 'new_base')[1] ~= attempt then
    return { 'absent' }
  end
  redis.call('APPEND', key('base-new', id), part)
  return { 'ok' }
end

-- Deletes the parts of a base that was not finished.
function commands.abandon(id)
  dropNewBase(id)
  return { 'ok' }
end

-- Replaces the base by the parts, and drops the lines up to its revision. `sent`: the newest revision of the base and of the lines
-- that were sent before it. `logBytes`: the bytes of the lines that stay. Last come `count` new origins, and the hashes of all
-- origins that are still named. A world that the server has lost gets all fields again.
function commands.base(id, epoch, attempt, sent, revision, hash, logBytes, born, starts, summary, count, ...)
  local fields = fieldsOf(id, 'revision', 'base_revision', 'regained', 'new_base')
  if fields[4] ~= attempt then
    return { 'absent' }
  end
  local stored = fields[1]
  if fields[3] then
    stored = nil
    redis.call('UNLINK', key('log', id))
    redis.call('HDEL', key('world', id), 'regained')
  -- The lines after an older base are gone.
  elseif fields[2] and tonumber(revision) < tonumber(fields[2]) then
    return { 'old' }
  -- It comes late, after lines that may name other origins.
  elseif stored and tonumber(stored) > tonumber(sent) then
    return { 'late' }
  end
  if not stored then
    stored = revision
    redis.call('HSET', key('world', id), 'born', born, 'starts', starts, 'summary', summary)
    redis.call('SADD', worlds, id)
  end
  local list, named, bytes = { ... }, {}, 0
  putOrigins(id, list, 1, count * 2)
  for i = count * 2 + 1, #list do
    named[list[i]] = true
  end
  for _, other in ipairs(redis.call('HKEYS', key('origins', id))) do
    if named[other] then
      bytes = bytes + redis.call('HSTRLEN', key('origins', id), other)
    else
      redis.call('HDEL', key('origins', id), other)
    end
  end
  redis.call('RENAME', key('base-new', id), key('base', id))
  redis.call('HDEL', key('world', id), 'new_base')
  redis.call('XTRIM', key('log', id), 'MINID', revision .. '-1')
  if tonumber(revision) > tonumber(stored) then
    stored = revision
  end
  redis.call('HSET', key('world', id), 'revision', stored, 'base_revision', revision, 'origin', hash,
    'base_bytes', redis.call('STRLEN', key('base', id)), 'origin_bytes', bytes, 'log_bytes', logBytes)
  return { 'ok' }
end

-- Writes times and summaries. Arguments: ids, epochs, times, summaries. An empty text changes nothing.
function commands.note(...)
  local list, replies = { ... }, {}
  for i = 1, #list, 4 do
    local id = list[i]
    local refusal = fence(id, list[i + 1])
    if not refusal and list[i + 2] ~= '' then
      redis.call('HSET', key('world', id), 'time', list[i + 2])
    end
    if not refusal and list[i + 3] ~= '' then
      redis.call('HSET', key('world', id), 'summary', list[i + 3])
    end
    replies[#replies + 1] = refusal or { 'ok' }
  end
  return { 'ok', replies }
end

-- Releases a world. Deletes one that was claimed and never created.
function commands.release(id)
  if fieldsOf(id, 'born')[1] then
    redis.call('HSET', key('world', id), 'owner', '')
  else
    redis.call('DEL', key('world', id))
  end
  return { 'ok' }
end

-- Deletes a world of the replica, or one without an owner. Without an epoch, one that the replica has just created.
function commands.delete(id, epoch)
  local fields = fieldsOf(id, 'owner', 'epoch')
  if not fields[2] then
    return { 'ok' }
  end
  local isOther = fields[1] ~= self and (epoch == '' or infoOf(fields[1]))
  if isOther or (epoch ~= '' and fields[2] ~= epoch) then
    return lost(fields[1])
  end
  redis.call('UNLINK', key('world', id), key('log', id), key('base', id), key('base-new', id), key('origins', id))
  redis.call('SREM', worlds, id)
  return { 'ok' }
end

-- These are refused unless the replica owns the world by that epoch. Those that read may be without one.
local writes = { append = true, part = true, abandon = true, base = true, release = true }
local reads = { lines = true, read = true }
local isFenced = writes[command] or (reads[command] and ARGV[5] ~= '')
return isFenced and fence(ARGV[4], ARGV[5]) or commands[command](unpack(ARGV, 4))
