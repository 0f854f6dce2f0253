/** Hostile texts against a local engine of their own, through the guard: it must survive, respond and open no file. */
import { randomUUID } from 'node:crypto';
import { readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openClickHouseEngine } from '../../../src/engine/clickhouse/clickhouse-engine.ts';
import { whyNotCalled } from '../../../src/engine/clickhouse/guard/rules/functions.ts';
import type { QueryEngine } from '../../../src/engine/query-engine.ts';
import { ServiceError } from '../../../src/errors/service-error.ts';
import { adminRunner } from './admin.ts';
import { craftedState, type RealState, realState } from './crafted-states.ts';
import {
  type Call,
  type Catalog,
  type HostileText,
  hostileAggregate,
  hostileScalar,
  hostileZone,
  varied,
} from './hostile-calls.ts';
import { hostileValues, type Random, randomOf, shapes } from './hostile-values.ts';
import { config, type LocalEngine, log, startLocalEngine } from './local-engine.ts';

export interface Trial {
  /** Tries one text. Returns what went wrong, or null. */
  next(): Promise<string | null>;
  /** How many texts of each family ran, were refused by the guard, or failed. */
  counts(): string;
  close(): Promise<void>;
}

/** @param seed the same texts for the same one, as long as the engine takes the same of them. */
export async function openTrial(seed: number): Promise<Trial> {
  const local = await startLocalEngine();
  const { connection } = local.engine;
  const engine = openClickHouseEngine({ connection, config, log, local: local.engine });
  await engine.provision(1);
  const admin = adminRunner(connection);
  const canary = await plantCanary(local);
  const catalog = await readCatalog(admin);
  const states = await readStates(admin, catalog);
  const values = hostileValues(canary.path);
  const random = randomOf(seed);
  const tally = new Map<string, number>();
  const ran = new Map<string, readonly Call[]>();
  return {
    async next() {
      const text = nextText(random, { catalog, values, states, ran, canary: canary.path });
      const pid = local.engine.pid();
      const outcome = await attempt(engine, text);
      const key = `${text.family}: ${outcome.kind}`;
      tally.set(key, (tally.get(key) ?? 0) + 1);
      if (outcome.kind === 'ran' && (text.call?.args.length ?? 0) > 0 && text.call !== undefined) {
        const calls = ran.get(text.call.name) ?? [];
        ran.set(text.call.name, [...calls.slice(-20), text.call]);
      }
      return await faultOf({ text, outcome, isSame: local.engine.pid() === pid, canary });
    },
    counts: () =>
      [...tally]
        .sort(byName)
        .map(([key, count]) => `${key} ${count}`)
        .join(', '),
    async close() {
      await engine.close();
      await local.close();
    },
  };
}

function byName([one]: readonly [string, number], [other]: readonly [string, number]): number {
  return one < other ? -1 : 1;
}

interface Material {
  readonly catalog: Catalog;
  readonly values: readonly string[];
  readonly states: readonly RealState[];
  readonly canary: string;
  /** Calls that the engine took, by function. */
  readonly ran: ReadonlyMap<string, readonly Call[]>;
}

function nextText(random: Random, material: Material): HostileText {
  const { catalog, values, states, ran } = material;
  if (random() < 0.1) return hostileZone(random, catalog, material.canary);
  if (ran.size > 0 && random() < 0.5) return varied(random, ran, values);
  const family = random();
  if (family < 0.5) return hostileScalar(random, catalog, values);
  if (family < 0.7) return hostileAggregate(random, catalog, values);
  return family < 0.85 ? realState(random, catalog, values) : craftedState(random, states);
}

type Admin = (sql: string) => Promise<string>;

async function readCatalog(admin: Admin): Promise<Catalog> {
  const read = async (where: string) =>
    (await admin(`SELECT name FROM system.functions WHERE ${where} ORDER BY name`))
      .trim()
      .split('\n')
      .filter((name) => /^\w+$/.test(name) && whyNotCalled(name) === null);
  return {
    scalars: await read("NOT is_aggregate AND alias_to = ''"),
    aggregates: await read("is_aggregate AND alias_to = ''"),
    timed: await read(
      "categories IN ('Dates and Times', 'Type Conversion', 'Time Window', 'UUID')",
    ),
  };
}

/** One state of each aggregate function that takes any of the shapes. */
async function readStates(admin: Admin, { aggregates }: Catalog): Promise<readonly RealState[]> {
  const found: RealState[] = [];
  for (const name of aggregates) {
    for (const shape of shapes) {
      const sql = `SELECT toTypeName(s), hex(s) FROM (SELECT ${name}State(${shape.join(', ')}) AS s FROM numbers(20)) FORMAT TSVRaw`;
      const response = await admin(sql).catch(() => '');
      const [type = '', hex = ''] = response.trim().split('\t');
      if (type.startsWith('AggregateFunction('))
        found.push({ name, type, hex: hex.slice(0, 4000) });
    }
  }
  return found;
}

interface Canary {
  readonly path: string;
  /** Whether it was read since the last call. */
  readonly wasRead: () => Promise<boolean>;
}

const longAgo = new Date('2001-01-01T00:00:00Z');

/** A file that the engine's user may read; its access time shows whether it was. */
async function plantCanary(local: LocalEngine): Promise<Canary> {
  const control = join(local.dir, 'control');
  await writeFile(control, 'x', { mode: 0o644 });
  await utimes(control, longAgo, new Date());
  await readFile(control);
  if ((await stat(control)).atime <= longAgo)
    throw new Error('the file system keeps no times of reading');
  // Within what the engine may read of the machine.
  const path = join(local.dir, 'work', 'canary');
  await writeFile(path, 'x', { mode: 0o644 });
  await utimes(path, longAgo, new Date());
  return {
    path,
    async wasRead() {
      const isRead = (await stat(path)).atime > longAgo;
      if (isRead) await utimes(path, longAgo, new Date());
      return isRead;
    },
  };
}

interface Outcome {
  readonly kind: 'ran' | 'refused' | 'failed' | 'lost';
  readonly message: string;
}

async function attempt(engine: QueryEngine, { sql }: HostileText): Promise<Outcome> {
  const query = {
    projectId: 1,
    sql,
    params: { s: '' },
    queryId: randomUUID(),
    limit: 10,
    offset: 0,
    integers: 'number',
  } as const;
  try {
    await engine.query(query);
    return { kind: 'ran', message: '' };
  } catch (error) {
    const { code, message, internal } =
      error instanceof ServiceError
        ? error
        : { code: 'error', message: String(error), internal: '' };
    const lost = ['engine_unavailable', 'error'].includes(code);
    const kind = lost ? 'lost' : code === 'invalid_query' ? 'refused' : 'failed';
    return { kind, message: `${code} ${message} ${internal ?? ''}` };
  }
}

async function faultOf(tried: {
  readonly text: HostileText;
  readonly outcome: Outcome;
  readonly isSame: boolean;
  readonly canary: Canary;
}): Promise<string | null> {
  const { text, outcome, isSame, canary } = tried;
  if (!isSame) return `the engine ended: ${text.sql}`;
  if (outcome.kind === 'lost') return `no answer (${outcome.message}): ${text.sql}`;
  if (text.mustBeRefused && outcome.kind !== 'refused')
    return `was not refused (${outcome.message}): ${text.sql}`;
  return (await canary.wasRead()) ? `a file was opened: ${text.sql}` : null;
}
