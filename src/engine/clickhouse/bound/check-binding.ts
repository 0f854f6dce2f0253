/** Tries each right that a bound project needs, as the project's users, and reports what does not work without it. */
import { randomBytes } from 'node:crypto';
import { storedTablePrefix } from '../../../model/materialization-state.ts';
import type { ProjectBinding } from '../../../model/project-binding.ts';
import { quoteName } from '../../../sql/quote-name.ts';
import { EngineError } from '../errors/engine-error.ts';
import { withFormerPasswords } from '../http/former-passwords.ts';
import { type EngineClient, openEngineClient } from '../http/http-client.ts';
import { neededSettings } from '../http/refusable-settings.ts';
import type { Settings } from '../http/request-message.ts';
import { readRows, rowSettings } from '../http/session.ts';
import { qualified } from '../load/load-sql.ts';
import type { UserLimits } from '../provision/project-users.ts';
import { probeSettings } from '../provision/provision.ts';
import { queryLogGrant } from '../query/logged-work.ts';
import { outputSettings } from '../query/output-settings.ts';
import {
  copyGrants,
  processesGrant,
  readerGrants,
  stateGrants,
  storedGrant,
  writerGrants,
} from './binding-sql.ts';
import { isGranted, lackingRights, type Send } from './check-grant.ts';
import { baseSettings } from './probe-reader.ts';

export interface CheckedRight {
  readonly user: 'reader' | 'writer';
  /** The tested right, for example `SELECT ON sales.*`. */
  readonly right: string;
  /** What is missing and what to do about it; null when the right is granted. */
  readonly missing: string | null;
  /** What does not work without it. */
  readonly without: string;
}

interface Checking {
  readonly binding: ProjectBinding;
  readonly limits: UserLimits;
  /** With the password that the engine accepts. */
  readonly as: Readonly<Record<'reader' | 'writer', Send>>;
  /** With the newest password. */
  readonly asNewest: Readonly<Record<'reader' | 'writer', Send>>;
}

const TIMEOUT_MS = 20_000;

/** @throws ServiceError `engine_unavailable` when the engine does not respond. */
export async function checkBinding(
  binding: ProjectBinding,
  limits: UserLimits,
): Promise<readonly CheckedRight[]> {
  const client = openEngineClient({ url: binding.url });
  const senders = (by: EngineClient) => {
    const sender =
      (login: ProjectBinding['writer']): Send =>
      async (sql, settings = {}) => {
        const own = { ...rowSettings, ...settings };
        if (login === null) return [];
        return readRows(await by.send({ login, sql, settings: own, timeoutMs: TIMEOUT_MS }));
      };
    return { reader: sender(binding.reader), writer: sender(binding.writer) };
  };
  const as = senders(withFormerPasswords(client));
  const checking = { binding, limits, as, asNewest: senders(client) };
  try {
    return [...(await checkReader(checking)), ...(await checkWriter(checking))];
  } finally {
    client.close();
  }
}

const EVERYTHING = 'nothing works: no query is saved or run';
const NO_STORING = 'nothing is materialized; everything else works';

async function checkReader(checking: Checking): Promise<readonly CheckedRight[]> {
  const { binding, as } = checking;
  const { login, works } = await loginOf(checking, 'reader', EVERYTHING);
  if (!works) return [login];
  const settings = { limit: '1', offset: '0', ...outputSettings.number };
  const found = [
    login,
    await attempt(
      { user: 'reader', right: 'the settings that queries send', without: EVERYTHING },
      async () => {
        await as.reader('SELECT 1', { ...(await knownBase(as.reader)), ...settings });
      },
      'they are refused, as by a user with readonly = 1: give it the settings profile that querydock project sql prints, or readonly = 2',
    ),
    ...(await checkSettings(checking)),
    await checkReadonly(as.reader),
  ];
  for (const grant of readerGrants(binding)) {
    found.push(
      await checkGrant(checking, {
        user: 'reader',
        right: grant,
        without: withoutGrant(grant, binding),
      }),
    );
  }
  return [...found, await checkNoMore(checking)];
}

async function checkSettings({ limits, as }: Checking): Promise<readonly CheckedRight[]> {
  const remedy = 'refused: give it the settings profile that querydock project sql prints';
  const tried = [
    {
      right: 'limits sent with queries',
      settings: probeSettings(limits),
      without:
        'limits of projects and keys are not enforced by the engine: those of its profile apply',
    },
    ...neededSettings.map(({ of, ...setting }) => ({ right: `the setting of ${of}`, ...setting })),
  ];
  return Promise.all(
    tried.map(({ right, settings, without }) =>
      attempt({ user: 'reader', right, without }, () => as.reader('SELECT 1', settings), remedy),
    ),
  );
}

function withoutGrant(grant: string, { stored }: ProjectBinding): string {
  if (grant === processesGrant)
    return 'a query is cancelled when its connection closes, not by its id, and has no progress';
  if (grant === queryLogGrant)
    return 'usage has no processor time, and not what failed executions have read';
  if (grant.startsWith('dictGet')) return 'queries with this dictionary are refused';
  if (stored !== null && grant === storedGrant(stored))
    return 'nothing is materialized, and stored tables are not read: runs are inline';
  return 'queries of its tables are refused, and the catalogue does not list them';
}

interface Attempted {
  readonly user: 'reader' | 'writer';
  readonly right: string;
  readonly without: string;
}

async function attempt(
  attempted: Attempted,
  work: () => Promise<unknown>,
  hint?: string,
): Promise<CheckedRight> {
  try {
    await work();
    return { ...attempted, missing: null };
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return { ...attempted, missing: hint ?? shortened(error) };
  }
}

/** Strips the exception's frame. The reader is an operator. */
function shortened({ message }: EngineError): string {
  return message
    .replace(/^[\s\S]*?DB::Exception:\s*/, '')
    .replace(/\s*\(version[\s\S]*$/, '')
    .trim()
    .slice(0, 300);
}

interface Login {
  readonly login: CheckedRight;
  readonly works: boolean;
}

async function loginOf(
  { as, asNewest, binding }: Checking,
  user: 'reader' | 'writer',
  without: string,
): Promise<Login> {
  const { user: name = '', former = [] } = binding[user] ?? {};
  const tried = { user, right: `login as ${name}`, without };
  const login = await attempt(tried, () => asNewest[user]('SELECT 1'));
  if (login.missing === null) return { login, works: true };
  if (former.length === 0) return { login, works: false };
  const earlier = await attempt(tried, () => as[user]('SELECT 1'));
  if (earlier.missing !== null) return { login, works: false };
  return { login: { ...login, missing: NOT_CHANGED, without: STILL_WORKS }, works: true };
}

const NOT_CHANGED =
  'the engine does not accept the new password yet: run the statements of querydock project sql';
/** What is said of a user whose previous password works. */
export const STILL_WORKS =
  'everything works with the previous password, but only the last three of them are retained';

async function knownBase(send: Send): Promise<Settings> {
  const base = baseSettings();
  const names = Object.keys(base)
    .map((name) => `'${name}'`)
    .join(', ');
  const rows = await send(`SELECT name FROM system.settings WHERE name IN (${names})`);
  const known = new Set(rows.map(([name]) => String(name)));
  return Object.fromEntries(Object.entries(base).filter(([name]) => known.has(name)));
}

async function checkReadonly(send: Send): Promise<CheckedRight> {
  const [row] = await send("SELECT value FROM system.settings WHERE name = 'readonly'");
  return {
    user: 'reader',
    right: 'readonly',
    missing: Number(row?.[0] ?? 0) > 0 ? null : 'it is 0: set it to 1 with the profile, or to 2',
    without:
      'everything works, with one layer of protection less: its grants alone keep it from writing',
  };
}

function checkGrant({ as }: Checking, tried: Attempted): Promise<CheckedRight> {
  return attempt(tried, async () => {
    const lacking = await lackingRights(as[tried.user], tried.right);
    if (lacking !== null) throw new EngineError(0, lacking);
  });
}

/** Databases that the user can see besides its own: only the service keeps queries away from them. */
async function checkNoMore({ as, binding }: Checking): Promise<CheckedRight> {
  const own = new Set([...binding.databases, binding.stored]);
  const rows = await as.reader('SELECT name FROM system.databases ORDER BY name');
  const more = rows
    .map(([name]) => String(name))
    .filter((name) => !own.has(name) && !/^(?:system|information_schema)$/i.test(name));
  return {
    user: 'reader',
    right: 'nothing else',
    missing:
      more.length === 0
        ? null
        : `it may also see ${more.slice(0, 5).join(', ')}${more.length > 5 ? ', …' : ''}: revoke that`,
    without:
      'everything works, with one layer of protection less: only the service keeps queries from them',
  };
}

async function checkWriter(checking: Checking): Promise<readonly CheckedRight[]> {
  const { binding } = checking;
  if (binding.writer === null || binding.stored === null) {
    const missing =
      binding.stored === null
        ? 'there is no database for stored tables: querydock project attach --stored'
        : 'there is none: querydock project attach --writer-url';
    return [{ user: 'writer', right: 'a user that writes', missing, without: NO_STORING }];
  }
  const { login, works } = await loginOf(checking, 'writer', NO_STORING);
  if (!works) return [login];
  const found = [login];
  for (const right of writerGrants(binding)) {
    const without = withoutRight(right, binding);
    found.push(await checkGrant(checking, { user: 'writer', right, without }));
  }
  return [...found, await checkStoring(checking, binding.stored)];
}

function withoutRight(right: string, binding: ProjectBinding): string {
  if (right === processesGrant) return 'a sync is not stopped at once, and has no progress';
  if ([...copyGrants(binding), ...stateGrants].includes(right))
    return 'syncs fail, and are tried again, while their tables are written to';
  if (right.startsWith('dictGet')) return 'queries with this dictionary are not materialized';
  return NO_STORING;
}

/** Creates a table, counts its rows as the reader, and drops it. */
function checkStoring({ as }: Checking, stored: string): Promise<CheckedRight> {
  const name = `${storedTablePrefix}check${randomBytes(8).toString('hex')}`;
  const table = qualified(stored, name);
  const tried = {
    user: 'writer',
    right: 'making, reading and dropping a table',
    without: NO_STORING,
  } as const;
  return attempt(tried, async () => {
    const drop = `DROP TABLE ON ${quoteName(stored)}.*`;
    if (!(await isGranted(as.writer, drop)))
      throw new EngineError(0, 'no table was made, because it could not be dropped again');
    await as.writer(`CREATE TABLE ${table} (one UInt8) ENGINE = MergeTree ORDER BY tuple()`);
    try {
      await as.writer(`INSERT INTO ${table} SELECT 1`);
      await as.reader(`SELECT one FROM ${table}`);
      const sql = `SELECT total_rows FROM system.tables WHERE database = '${stored}' AND name = '${name}'`;
      const [row] = await as.reader(sql);
      if (Number(row?.[0] ?? 0) !== 1)
        throw new EngineError(
          0,
          'the reader does not see how many rows a stored table has: grant it SHOW TABLES or SELECT on the whole database',
        );
    } finally {
      await as.writer(`DROP TABLE IF EXISTS ${table}`);
    }
  });
}
