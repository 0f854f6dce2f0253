/**
 * Prisma's schema engine as WebAssembly, used for one thing: the SQL by which prisma/schema.prisma is
 * ahead of prisma/migrations. No downloaded binary takes part.
 *
 * The engine does not see CHECK constraints, partial indexes, functions or storage parameters; those are
 * written by hand into migrations and held by tests.
 */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import {
  bindMigrationAwareSqlAdapterFactory,
  ColumnTypeEnum,
  type SqlDriverAdapter,
  type SqlQuery,
} from '@prisma/driver-adapter-utils';
import pg from 'pg';
import { listMigrations } from '../src/store/migrations-folder.ts';

declare global {
  var PRISMA_WASM_PANIC_REGISTRY: { set_message(message: string): void } | undefined;
}

/** The used part of a global that TypeScript declares only together with the DOM. */
interface Wasm {
  instantiate(
    bytes: Uint8Array,
    imports: Readonly<Record<string, object>>,
  ): Promise<{ readonly instance: { readonly exports: Readonly<Record<string, unknown>> } }>;
}

let loading: ReturnType<typeof instantiate> | undefined;

/** The engine's glue keeps views of one instance's memory: a second instance in a process breaks both. */
async function instantiate() {
  globalThis.PRISMA_WASM_PANIC_REGISTRY = {
    set_message: (message) => console.error('The schema engine panicked:', message),
  };
  const glue = await import('@prisma/schema-engine-wasm/schema_engine_bg');
  const found = createRequire(import.meta.url).resolve(
    '@prisma/schema-engine-wasm/schema_engine_bg',
  );
  const bytes = await readFile(path.join(path.dirname(found), 'schema_engine_bg.wasm'));
  const wasm = Reflect.get(globalThis, 'WebAssembly') as Wasm;
  const { instance } = await wasm.instantiate(bytes, { './schema_engine_bg.js': glue });
  glue.__wbg_set_wasm(instance.exports);
  const start = instance.exports.__wbindgen_start;
  if (typeof start === 'function') start();
  return glue.SchemaEngine;
}

/**
 * Works around two limits of adapter-pg for the engine's own statements. It does not support columns of type "char" (18),
 * which the catalogue uses everywhere: they are fetched as text (25) and reported as characters. And it splits scripts at
 * every `;`, also inside quotes, so scripts are sent to PostgreSQL whole.
 */
async function connectAdapter(
  connectionString: string,
  onDispose: () => Promise<void>,
): Promise<SqlDriverAdapter> {
  const pool = new pg.Pool({ connectionString });
  const characters = rememberCharacters(pool);
  const adapter = await new PrismaPg(pool).connect();
  const queryRaw = adapter.queryRaw.bind(adapter);
  return Object.assign(adapter, {
    async queryRaw(query: SqlQuery) {
      const result = await queryRaw(query);
      for (const column of characters.get(result.rows) ?? []) {
        result.columnTypes[column] = ColumnTypeEnum.Character;
      }
      return result;
    },
    async executeScript(script: string) {
      await pool.query(script);
    },
    async dispose() {
      await pool.end();
      await onDispose();
    },
  });
}

/** Makes `pool` return "char" columns as text; the map gives those columns by the rows of a result. */
function rememberCharacters(pool: pg.Pool): WeakMap<object, readonly number[]> {
  const found = new WeakMap<object, readonly number[]>();
  const query = pool.query.bind(pool) as (
    config: pg.QueryArrayConfig,
  ) => Promise<pg.QueryArrayResult>;
  pool.query = (async (config: pg.QueryArrayConfig) => {
    const result = await query(config);
    const columns = (result.fields ?? []).flatMap((field, i) =>
      field.dataTypeID === 18 ? [i] : [],
    );
    for (const field of result.fields ?? []) if (field.dataTypeID === 18) field.dataTypeID = 25;
    if (columns.length > 0) found.set(result.rows, columns);
    return result;
  }) as typeof pool.query;
  pool.on('error', () => {});
  return found;
}

/** Replays the migrations in a temporary database. */
async function connectToShadow(connectionString: string): Promise<SqlDriverAdapter> {
  const database = `shadow_${randomUUID().replaceAll('-', '')}`;
  const admin = new pg.Client({ connectionString });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${database}`);
  // In the URL itself, because pg prefers a URL's database to one given separately.
  const shadow = new URL(connectionString);
  shadow.pathname = `/${database}`;
  return connectAdapter(shadow.href, async () => {
    await admin.query(`DROP DATABASE ${database} WITH (FORCE)`);
    await admin.end();
  });
}

async function migrationsTarget(dir: string) {
  const migrations = await listMigrations(dir);
  const content = await readFile(path.join(dir, 'migration_lock.toml'), 'utf8');
  return {
    tag: 'migrations' as const,
    baseDir: path.resolve(dir),
    shadowDbInitScript: '',
    lockfile: { path: 'migration_lock.toml', content },
    migrationDirectories: migrations.map(({ name, sql }) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok' as const, value: sql } },
    })),
  };
}

/**
 * The SQL that the migrations lack, or null when they match the schema.
 * @param databaseUrl a PostgreSQL where databases may be created; its existing tables are ignored.
 */
export async function findMissingSql(
  databaseUrl: string,
  schemaFile: string,
  migrationsDir: string,
): Promise<string | null> {
  const content = await readFile(schemaFile, 'utf8');
  loading ??= instantiate();
  const SchemaEngine = await loading;
  const factory = bindMigrationAwareSqlAdapterFactory({
    provider: 'postgres',
    adapterName: 'querydock',
    connect: () => connectAdapter(databaseUrl, async () => {}),
    connectToShadowDb: () => connectToShadow(databaseUrl),
  });
  const engine = await SchemaEngine.new({ datamodels: [[schemaFile, content]] }, () => {}, factory);
  try {
    const { exitCode, stdout } = await engine.diff({
      from: await migrationsTarget(migrationsDir),
      to: { tag: 'schemaDatamodel', files: [{ path: schemaFile, content }] },
      script: true,
      exitCode: true,
      filters: { externalTables: [], externalEnums: [] },
    });
    return exitCode === 0 ? null : (stdout ?? '');
  } finally {
    engine.free();
  }
}
