/** Atomic operations in Redis. */

/** KEYS: value. Returns the value and the time of Redis. */
export const findScript = `
  local time = redis.call('TIME')
  return {redis.call('GET', KEYS[1]), time[1], time[2], ''}`;

/** KEYS: value, lease. ARGV: token, milliseconds. Takes the lease if it is free, and also returns its state. */
export const leaseScript = `
  local state = 'held'
  if redis.call('SET', KEYS[2], ARGV[1], 'NX', 'PX', ARGV[2]) then state = 'mine'
  elseif redis.call('GET', KEYS[2]) == 'alone' then state = 'alone' end
  local time = redis.call('TIME')
  return {redis.call('GET', KEYS[1]), time[1], time[2], state}`;

/** KEYS: lease. ARGV: token, milliseconds. */
export const renewScript = `
  if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
  return 0`;

/** KEYS: lease. ARGV: token. */
export const releaseScript = `
  if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
  return 0`;

/** KEYS: lease. ARGV: token, milliseconds. Callers within that time compute without a lease. */
export const leaveAloneScript = `
  if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('SET', KEYS[1], 'alone', 'PX', ARGV[2]) end
  return 0`;
