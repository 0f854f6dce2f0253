/**
 * Every setting of the service: environment variable, unit, default and reason. A test compares docs/configuration.md
 * with this table.
 */
import { z } from 'zod';
import { type LogLevel, logLevels } from '../lib/log.ts';
import { clusterSettings } from './cluster-settings.ts';
import { connectionSettings } from './connection-settings.ts';
import { contradictions } from './contradictions.ts';
import { corsOrigins } from './cors-origins.ts';
import { graphqlSettings } from './graphql-settings.ts';
import { limitSettings } from './limit-settings.ts';
import { liveSettings } from './live-settings.ts';
import { localEngineSettings } from './local-engine-settings.ts';
import { logSettings } from './log-settings.ts';
import { metricExportSettings } from './metric-export-settings.ts';
import { otelSettings } from './otel-settings.ts';
import { rateSettings } from './rate-settings.ts';
import { removedSettings } from './removed-settings.ts';
import { mistyped, redisUrl, type Setting, setting, urlOf, wholeNumber } from './setting.ts';
import { signInSettings } from './sign-in-settings.ts';
import { traceSettings } from './trace-settings.ts';
import { usageSettings } from './usage-settings.ts';

const text = z.string();
export const settings = {
  host: setting<string>(
    'HOST',
    'address',
    '127.0.0.1',
    text.min(1, 'is empty'),
    'The address to listen on. The default accepts only connections from this machine.',
  ),
  port: setting<number>(
    'PORT',
    'port',
    4000,
    wholeNumber(0, 65535),
    'The port to listen on; 0 picks a free one.',
  ),
  dataDir: setting<string>(
    'DATA_DIR',
    'folder',
    './.data',
    text.regex(
      /^(?!~(?:\/|$))/,
      'begins with ~, which is a folder of that name outside of a shell',
    ),
    'Holds the local PostgreSQL, the local ClickHouse and the lock of the one process that owns them.',
  ),
  databaseUrl: setting<string>(
    'DATABASE_URL',
    'URL',
    '',
    urlOf('postgresql:', 'postgres:'),
    'The PostgreSQL for the metadata. Empty starts a local one.',
  ),
  clickhouseUrl: setting<string>(
    'CLICKHOUSE_URL',
    'URL',
    '',
    urlOf('http:', 'https:'),
    "The ClickHouse for the queries, with an administrator's user and password. Empty starts a local one.",
  ),
  ...clusterSettings,
  clickhouseUserSecret: {
    ...setting<string>(
      'CLICKHOUSE_USER_SECRET',
      'text',
      '',
      text,
      'The secret from which the passwords of the projects’ engine users are derived. Empty uses the password in CLICKHOUSE_URL.',
    ),
    isSecret: true,
  },
  credentialsKey: {
    ...setting<string>(
      'CREDENTIALS_KEY',
      '64 hexadecimal digits, or a comma-separated list of such keys',
      '',
      text.regex(/^[0-9a-fA-F]{64}(?:,[0-9a-fA-F]{64})*$/, 'is not a valid key or list of keys'),
      'Encrypts the engine users of bound projects, and sign-ins. The first key encrypts, all decrypt. Empty: neither is available.',
    ),
    isSecret: true,
  },
  redisUrl: setting<string>(
    'REDIS_URL',
    'URL',
    '',
    redisUrl,
    'The Redis through which processes share results and rate limit counters. Empty: each process has its own.',
  ),
  publicUrl: setting<string>(
    'PUBLIC_URL',
    'URL',
    '',
    urlOf('http:', 'https:'),
    'How callers reach the service, in `url`, `ui_url` and the OpenAPI documents. Empty uses the listening address.',
  ),
  corsOrigins,
  logLevel: setting<LogLevel>(
    'LOG_LEVEL',
    'level',
    'info',
    z.enum(logLevels, `is not one of ${logLevels.join(', ')}`),
    'The least severe level that is logged.',
  ),
  maxBodyBytes: setting<number>(
    'MAX_BODY_BYTES',
    'bytes',
    1_048_576,
    wholeNumber(1024, 268_435_456),
    'A larger request body is rejected with body_too_large.',
  ),
  ...connectionSettings,
  maxRows: setting<number>(
    'MAX_ROWS',
    'rows',
    50_000,
    wholeNumber(1, 10_000_000),
    'Rows of a run without a limit, and the highest limit of a run.',
  ),
  maxResultBytes: setting<number>(
    'MAX_RESULT_BYTES',
    'bytes',
    134_217_728,
    wholeNumber(65_536, 4_294_967_296),
    'A larger result fails with query_too_large.',
  ),
  maxStreamBytes: setting<number>(
    'MAX_STREAM_BYTES',
    'bytes',
    10_737_418_240,
    wholeNumber(65_536, 1_099_511_627_776),
    'The same for formats other than JSON, on the wire and as counted by the engine; a larger result is aborted.',
  ),
  streamTimeoutSeconds: setting<number>(
    'STREAM_TIMEOUT_SECONDS',
    'seconds',
    600,
    wholeNumber(1, 86_400),
    'How long such a result may take until its last byte; its first bytes arrive within QUERY_TIMEOUT_SECONDS.',
  ),
  queryTimeoutSeconds: setting<number>(
    'QUERY_TIMEOUT_SECONDS',
    'seconds',
    30,
    wholeNumber(1, 3600),
    'A longer query is stopped and fails with query_timeout.',
  ),
  queryMemoryBytes: setting<number>(
    'QUERY_MEMORY_BYTES',
    'bytes',
    1_073_741_824,
    wholeNumber(67_108_864, 1_099_511_627_776),
    'A query that needs more memory is stopped and fails with query_memory_limit.',
  ),
  maxConcurrentQueries: setting<number>(
    'MAX_CONCURRENT_QUERIES',
    'queries per project',
    8,
    wholeNumber(1, 1000),
    'Further queries wait; see MAX_QUEUED_QUERIES.',
  ),
  ...limitSettings,
  ...rateSettings,
  ...liveSettings,
  ...logSettings,
  ...graphqlSettings,
  ...localEngineSettings,
  defaultCacheAgeSeconds: setting<number>(
    'DEFAULT_CACHE_AGE_SECONDS',
    'seconds',
    300,
    wholeNumber(0, 86_400),
    'How long a result is served from the cache if its version sets no cache age.',
  ),
  minCacheAgeSeconds: setting<number>(
    'MIN_CACHE_AGE_SECONDS',
    'seconds',
    0,
    wholeNumber(0, 86_400),
    'The lowest cache age that an author may set.',
  ),
  defaultStoredRows: setting<number>(
    'DEFAULT_STORED_ROWS',
    'rows',
    20_000_000,
    wholeNumber(1, 2_000_000_000),
    'Rows that a materialization may store if its author sets no limit.',
  ),
  maxStoredRows: setting<number>(
    'MAX_STORED_ROWS',
    'rows',
    1_000_000_000,
    wholeNumber(1, 2_000_000_000),
    'The highest limit of stored rows that an author may set.',
  ),
  cacheBytes: setting<number>(
    'CACHE_BYTES',
    'bytes',
    268_435_456,
    wholeNumber(0, 68_719_476_736),
    'Size of the result cache of one process.',
  ),
  sharedResultBytes: setting<number>(
    'SHARED_RESULT_BYTES',
    'bytes',
    1_048_576,
    wholeNumber(0, 67_108_864),
    'A larger result is not shared through Redis; 0 shares none.',
  ),
  lookupOutageSeconds: setting<number>(
    'LOOKUP_OUTAGE_SECONDS',
    'seconds',
    60,
    wholeNumber(0, 3600),
    'How long runs use keys and endpoints that a process has read while the metadata database is unreachable.',
  ),
  retentionDays: setting<number>(
    'RETENTION_DAYS',
    'days',
    184,
    wholeNumber(1, 3650),
    'Older query statuses are deleted; 184 days cover the six months of last execution times.',
  ),
  auditRetentionDays: setting<number>(
    'AUDIT_RETENTION_DAYS',
    'days',
    730,
    wholeNumber(1, 36_500),
    'Older entries of the audit log are deleted.',
  ),
  ...usageSettings,
  ...signInSettings,
  ...otelSettings,
  ...traceSettings,
  ...metricExportSettings,
  drainSeconds: setting<number>(
    'DRAIN_SECONDS',
    'seconds',
    5,
    wholeNumber(0, 600),
    'How long a stopping service continues to serve while /readyz is 503, so that load balancers notice. Only without local backends.',
  ),
  shutdownSeconds: setting<number>(
    'SHUTDOWN_SECONDS',
    'seconds',
    10,
    wholeNumber(0, 600),
    'How long requests in flight may take to finish when the service stops.',
  ),
} as const;

type SettingValue<S> = S extends Setting<infer T> ? T : never;
export type Config = { readonly [K in keyof typeof settings]: SettingValue<(typeof settings)[K]> };

/** An invalid setting. The message is all the help an operator gets, so it names what is accepted. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Reads and validates every setting. Throws ConfigError with one line per invalid setting. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = [];
  const wrong: string[] = [];
  const entries = Object.entries(settings).map(([key, s]: [string, Setting<unknown>]) => {
    const given = env[s.env];
    if (given === undefined || given === '') return [key, s.default];
    const parsed = s.parse.safeParse(given);
    const mistake = mistyped(s, given);
    if (parsed.success && mistake === null) return [key, parsed.data];
    wrong.push(s.env);
    const reason = mistake ?? parsed.error?.issues[0]?.message ?? 'is not accepted';
    const shown = s.isSecret === true ? '' : `=${redactUrl(given.trim())}`;
    problems.push(
      `${s.env}${shown} ${reason}. Accepted: ${s.unit}. Default: ${String(s.default) || 'empty'}.`,
    );
    return [key, s.default];
  });
  const config = Object.fromEntries(entries) as Config;
  problems.push(...contradictions(config, wrong));
  for (const [name, replacement] of Object.entries(removedSettings)) {
    if (env[name]) problems.push(`${name} is no longer a setting. ${replacement}`);
  }
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return config;
}

/** Up to the last @, since a password that is not encoded may contain one, or a slash. */
function redactUrl(value: string): string {
  return value.replace(/\/\/.*@/s, '//***@');
}
