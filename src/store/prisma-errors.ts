/** Classifies a failure of the metadata database, whether it comes from Prisma, its adapter or pg. */
import { ServiceError } from '../errors/service-error.ts';
import { WriteConflictError } from '../errors/write-conflict-error.ts';

/** The heartbeat found that PostgreSQL does not respond, so no connection is tried. */
export class NotRespondingError extends Error {
  constructor() {
    super('PostgreSQL does not respond');
  }
}

/** The members that any of those errors may have. */
interface Facts {
  readonly code: string | null;
  readonly message: string;
  /** The adapter's classification, for example `UniqueConstraintViolation`. */
  readonly kind: string | null;
  /** PostgreSQL's SQLSTATE: five characters. */
  readonly sqlState: string | null;
  /** The index or constraint that was violated. */
  readonly constraint: string | null;
}

function read(value: unknown, ...keys: readonly string[]): unknown {
  let at = value;
  for (const key of keys) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = Reflect.get(at, key);
  }
  return at;
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function factsOf(error: unknown): Facts {
  // Prisma's errors carry the adapter's in `meta`; what fails at COMMIT is the adapter's own error.
  const adapter = read(error, 'meta', 'driverAdapterError', 'cause') ?? read(error, 'cause');
  const code = text(read(error, 'code'));
  const fromPg = text(read(error, 'severity')) !== null ? code : null;
  return {
    code,
    message: text(read(error, 'message')) ?? '',
    kind: text(read(adapter, 'kind')),
    sqlState: fromPg ?? text(read(adapter, 'originalCode')),
    constraint: text(read(adapter, 'constraint', 'index')) ?? text(read(error, 'constraint')),
  };
}

/** Whether a unique value is taken. @param index the unique index, when it must be that one. */
export function isUniqueViolation(error: unknown, index?: string): boolean {
  const { code, kind, sqlState, constraint } = factsOf(error);
  const unique = code === 'P2002' || kind === 'UniqueConstraintViolation' || sqlState === '23505';
  return unique && (index === undefined || constraint === index);
}

/** Whether a referenced row does not exist (any more). */
export function isForeignKeyViolation(error: unknown): boolean {
  const { code, kind, sqlState } = factsOf(error);
  return code === 'P2003' || kind === 'ForeignKeyConstraintViolation' || sqlState === '23503';
}

/** Whether PostgreSQL rolled the transaction back so that another could go on, as in a deadlock. */
function isWriteConflict(error: unknown): boolean {
  const { code, kind, sqlState } = factsOf(error);
  const isKnown = code === 'P2034' || kind === 'TransactionWriteConflict';
  return isKnown || sqlState === '40P01' || sqlState === '40001';
}

const unavailableCodes = new Set([
  'P1001', // not reachable
  'P1002', // timed out while connecting
  'P1008', // socket timeout
  'P1017', // connection closed
  'P2024', // no connection of the pool came free
  'P2028', // a transaction did not start in time, or lost its connection
  'P2037', // too many connections
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
]);

/** PostgreSQL's codes for connection failures, too many clients, and shutting down or starting up. */
const unavailableStates = /^(08...|53...|57P0[1-3])$/;

const unavailableKinds = new Set([
  'DatabaseNotReachable',
  'ConnectionClosed',
  'SocketTimeout',
  'TooManyConnections',
]);

const unavailableMessage =
  /Query read timeout|Connection terminated|terminating connection|Client has encountered a connection error|timeout exceeded when trying to connect|the database system is (starting up|shutting down)|connect (ENOENT|ECONNREFUSED)/i;

/** Whether PostgreSQL could not be reached; the same call may succeed when it is back. */
export function isUnavailable(error: unknown): boolean {
  for (let at = error, depth = 0; at !== undefined && depth < 4; at = read(at, 'cause'), depth++) {
    if (at instanceof NotRespondingError) return true;
    const { code, kind, sqlState, message } = factsOf(at);
    if (code !== null && unavailableCodes.has(code)) return true;
    if (kind !== null && unavailableKinds.has(kind)) return true;
    if (sqlState !== null && unavailableStates.test(sqlState)) return true;
    if (unavailableMessage.test(message)) return true;
  }
  return false;
}

const loginRefused = 'The metadata database does not accept the login of this service.';
const rightRefused = 'The metadata database refuses this service a right that it needs.';

/** By PostgreSQL's code: why a statement was not carried out although the database can be reached. */
const refusedStates = new Map([
  ['25006', 'The metadata database is read-only at the moment, so nothing can be changed.'],
  ['57014', 'The metadata database took too long, perhaps because another client holds a lock.'],
  ['42501', rightRefused],
  ...['28000', '28P01', '3D000', '55000'].map((state) => [state, loginRefused] as const),
]);

/** Prisma's codes for the same, where it passes on no code of PostgreSQL: password, database, access. */
const loginRefusedCodes = new Set(['P1000', 'P1003', 'P1010']);

/**
 * Turns a database that cannot be used, and a transaction that it rolled back, into `service_unavailable`; returns any
 * other error unchanged.
 */
export function toMetadataError(error: unknown): unknown {
  if (error instanceof ServiceError) return error;
  const { code, sqlState, message } = factsOf(error);
  if (isWriteConflict(error)) return new WriteConflictError(error, message);
  const isLogin = code !== null && loginRefusedCodes.has(code);
  const refused = isLogin ? loginRefused : refusedStates.get(sqlState ?? '');
  if (refused === undefined && !isUnavailable(error)) return error;
  return new ServiceError(
    'service_unavailable',
    `${refused ?? 'The metadata database is unreachable.'} Try again in a second.`,
    { retryAfterSeconds: 1, cause: error, internal: message },
  );
}
