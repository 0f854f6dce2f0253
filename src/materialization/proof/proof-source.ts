/**
 * The source a table is built from and compared with: copies of the tables the query reads, or else the tables
 * themselves.
 */
import type { FrozenTables, ShardLookup } from '../../engine/frozen-tables.ts';
import type { EngineStatement } from '../../engine/query-engine.ts';
import { compileQuery } from '../../query/compile-query.ts';
import type { ParsedQuery } from '../../query/query-definition.ts';
import { sampleVariables } from '../../query/variables.ts';
import type { MaterializationDeps } from '../deps.ts';

export interface ProofSource {
  /** The plan's stored queries over this source. */
  readonly storedQueries: readonly string[];
  /** Whether they read nothing but copies. */
  readonly isFrozen: boolean;
  /** Why there can never be copies; null if they failed otherwise, or are there. */
  readonly lookup: ShardLookup | null;
  /** The bound inline query over this source. */
  inline(statement: EngineStatement): Promise<InlineStatement>;
  /** Drops the copies. */
  release(): Promise<void>;
}

interface InlineStatement {
  readonly statement: EngineStatement;
  /** Whether it reads the same rows the table was built from; otherwise they may have changed since. */
  readonly isFrozen: boolean;
}

interface SourceRequest {
  readonly projectId: number;
  readonly query: ParsedQuery;
  readonly storedQueries: readonly string[];
  /** The stored table being built. */
  readonly table: string;
  readonly signal: AbortSignal;
}

export function liveSource(
  storedQueries: readonly string[],
  lookup: ShardLookup | null = null,
): ProofSource {
  return {
    storedQueries,
    isFrozen: false,
    lookup,
    inline: async (statement) => ({ statement, isFrozen: false }),
    release: async () => undefined,
  };
}

export async function openProofSource(
  { engine }: MaterializationDeps,
  { projectId, query, storedQueries, table, signal }: SourceRequest,
): Promise<ProofSource> {
  const inline = { projectId, ...compileQuery(query, sampleVariables(query), null) };
  const stored = storedQueries.map((sql) => ({ projectId, sql, params: {} }));
  const request = { projectId, table, statements: [...stored, inline] };
  const frozen = await engine.freezeTables(request, signal);
  if (frozen !== null && 'lookup' in frozen) return liveSource(storedQueries, frozen.lookup);
  const texts: string[] = [];
  for (const each of frozen === null ? [] : stored) {
    const read = frozen === null ? null : await engine.readFrozen(frozen, each);
    if (read !== null) texts.push(read.sql);
  }
  if (frozen === null || texts.length < stored.length) {
    await engine.dropCopies(projectId, table);
    return liveSource(storedQueries);
  }
  return frozenSource({ engine, frozen, storedQueries: texts, projectId, table });
}

interface Frozen extends Pick<SourceRequest, 'projectId' | 'table' | 'storedQueries'> {
  readonly engine: MaterializationDeps['engine'];
  readonly frozen: FrozenTables;
}

function frozenSource({ engine, frozen, storedQueries, projectId, table }: Frozen): ProofSource {
  const texts = new Map<string, string | null>();
  const isFrozen = !frozen.looksUp;
  return {
    storedQueries,
    isFrozen,
    lookup: null,
    async inline(statement) {
      const { sql } = statement;
      const known = texts.get(sql);
      const text =
        known === undefined ? ((await engine.readFrozen(frozen, statement))?.sql ?? null) : known;
      texts.set(sql, text);
      return text === null
        ? { statement, isFrozen: false }
        : { statement: { ...statement, sql: text }, isFrozen };
    },
    release: () => engine.dropCopies(projectId, table),
  };
}
