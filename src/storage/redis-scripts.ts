/**
 * What Redis decides in one step, in Lua. Each script first finds the time: Redis' own, so that nodes whose clocks differ
 * agree, or the one that it is given. What is kept says itself until when it counts; that Redis then forgets it is only
 * tidiness. Each may be sent again when its answer was lost: it knows who asks, and says the same (a token then costs two).
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
 * The bucket as one number, the moment at which it will be full again (the generic cell rate algorithm, ITU-T I.371). A
 * clock that is set back neither gives nor takes: no bucket is further from full than one second.
 */
const takeToken = script(`
local interval = 1000 / tonumber(ARGV[2])
local full = math.max(now, math.min(tonumber(redis.call('GET', KEYS[1]) or 0), now + 1000))
local wait = math.max(0, math.ceil(full + interval - now - 1000 - 0.001))
if wait == 0 then full = full + interval end
redis.call('SET', KEYS[1], string.format('%.3f', full), 'PX', math.max(1, math.ceil(full - now)))
return wait
`);

/** A place is a member of the room with the time at which it is free again, unless whoever holds it renews it. */
const takePlace = script(`
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if not redis.call('ZSCORE', KEYS[1], ARGV[4]) and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[4])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
`);

const renewPlaces = script(`
for place = 3, #ARGV do redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[place]) end
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

const leaveParcel = script(`
redis.call('HSET', KEYS[1], 'forgetAt', now + ARGV[2], 'content', ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
`);

/** What was taken stays until it is forgotten, for whoever took it and did not hear the answer. */
const takeParcel = script(`
local parcel = redis.call('HMGET', KEYS[1], 'forgetAt', 'content', 'by')
if not parcel[1] or tonumber(parcel[1]) <= now or (parcel[3] and parcel[3] ~= ARGV[2]) then return false end
redis.call('HSET', KEYS[1], 'by', ARGV[2])
return parcel[2]
`);

export const redisScripts = {
  takeToken,
  takePlace,
  renewPlaces,
  noteOnce,
  countUp,
  readCount,
  leaveParcel,
  takeParcel,
};

export type RedisScript = keyof typeof redisScripts;

function script(lua: string): Script {
  return { numberOfKeys: 1, lua: findTime + lua };
}
