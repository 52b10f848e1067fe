/**
 * Decisions that Redis makes in one step, in Lua. Each script first finds the time: that of Redis, so that nodes with
 * different clocks agree, or the time that a test gives. Every value holds the time until which it counts; the expiry of its
 * key only tidies up. A script may be sent again when its answer was lost: it recognises who asks and gives the same answer.
 * Only a token of a rate is then taken twice.
 */
type Script = { numberOfKeys: 1; lua: string };

const findTime = `
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
`;

/**
 * A bucket is one number, the time at which it will be full again (the generic cell rate algorithm, ITU-T I.371). A clock
 * that is set back gives no tokens and takes none: no bucket is further from full than one second.
 */
const takeToken = script(`
local interval = 1000 / tonumber(ARGV[2])
local full = math.max(now, math.min(tonumber(redis.call('GET', KEYS[1]) or 0), now + 1000))
local wait = math.max(0, math.ceil(full + interval - now - 1000 - 0.001))
if wait == 0 then full = full + interval end
redis.call('SET', KEYS[1], string.format('%.3f', full), 'PX', math.max(1, math.ceil(full - now)))
return wait
`);

/** A permit is a member of a sorted set. Its score is the time at which it expires, unless its holder renews it. */
const takePermit = script(`
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if not redis.call('ZSCORE', KEYS[1], ARGV[4]) and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[4])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
`);

const renewPermits = script(`
for index = 3, #ARGV do redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[index]) end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
`);

const noteOnce = script(`
local known = redis.call('HMGET', KEYS[1], 'forgetAt', 'by')
if known[1] and tonumber(known[1]) > now then return known[2] == ARGV[3] and 1 or 0 end
redis.call('HSET', KEYS[1], 'forgetAt', now + ARGV[2], 'by', ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
`);

const countUp = script(`
local known = redis.call('HMGET', KEYS[1], 'forgetAt', 'by')
if not (known[1] and tonumber(known[1]) > now) then redis.call('DEL', KEYS[1]) end
if known[2] ~= ARGV[3] then redis.call('HINCRBY', KEYS[1], 'count', 1) end
redis.call('HSET', KEYS[1], 'forgetAt', now + ARGV[2], 'by', ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return tonumber(redis.call('HGET', KEYS[1], 'count'))
`);

const readCount = script(`
local known = redis.call('HMGET', KEYS[1], 'forgetAt', 'count')
return known[1] and tonumber(known[1]) > now and tonumber(known[2]) or 0
`);

const putOneTimeValue = script(`
redis.call('HSET', KEYS[1], 'forgetAt', now + ARGV[2], 'content', ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
`);

/** A value that was taken stays until it is forgotten: whoever took it and did not get the answer may ask again. */
const takeOneTimeValue = script(`
local kept = redis.call('HMGET', KEYS[1], 'forgetAt', 'content', 'by')
if not kept[1] or tonumber(kept[1]) <= now or (kept[3] and kept[3] ~= ARGV[2]) then return false end
redis.call('HSET', KEYS[1], 'by', ARGV[2])
return kept[2]
`);

export const redisScripts = {
  takeToken,
  takePermit,
  renewPermits,
  noteOnce,
  countUp,
  readCount,
  putOneTimeValue,
  takeOneTimeValue,
};

export type RedisScript = keyof typeof redisScripts;

function script(lua: string): Script {
  return { numberOfKeys: 1, lua: findTime + lua };
}
