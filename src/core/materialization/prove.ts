import { compileQuery } from '../../domain/compile-query.ts';
import type { ParsedQuery } from '../../domain/query-definition.ts';
import type { TableRead } from '../../domain/run-plan.ts';
import type { EngineResult } from '../../engine/query-engine.ts';
import { uuidv7 } from '../../lib/ids.ts';
import type { CoreDeps } from '../deps.ts';
import { compileRead } from '../run/plan-run.ts';
import { findDifference } from './compare-results.ts';
import { chooseSamples, type Sample, type SampledRows, sampledColumns } from './sample-values.ts';

export interface Proof extends TableRead {
  readonly projectId: number;
  readonly query: ParsedQuery;
  /** Rows of the table. */
  readonly rows: number;
  readonly signal: AbortSignal;
}

/** Rows of one result that are compared one by one. */
const maxRows = 20_000;

/**
 * Compares the stored table with the query on source data for values that stand in the table. Answers the
 * first difference as a sentence with its example, or null. A query that fails both ways is no difference.
 */
export async function findDisproof(deps: CoreDeps, proof: Proof): Promise<string | null> {
  const samples = chooseSamples(proof.query, proof.plan, await sampleRows(deps, proof));
  for (const sample of samples) {
    const difference = await compareOne(deps, proof, sample);
    if (difference !== null) return withExample(sample, difference);
  }
  return null;
}

function withExample({ values }: Sample, difference: string): string {
  const example = values === null ? '' : ` for ${JSON.stringify(values)}`;
  return `Its stored table does not give the same result as the query itself${example}: ${difference}.`;
}

/** Distinct rows from all over the table, however large it is. */
async function sampleRows(deps: CoreDeps, proof: Proof): Promise<SampledRows> {
  const columns = sampledColumns(proof.plan).map((name) => `\`${name.replace(/[\\`]/g, '\\$&')}\``);
  if (columns.length === 0 || proof.rows === 0) return [];
  const list = columns.join(', ');
  const every = Math.max(1, Math.floor(proof.rows / 20_000));
  const result = await ask(deps, proof, {
    sql: `SELECT DISTINCT ${list} FROM ${proof.table} WHERE sipHash64(${list}) % ${every} = 0 ORDER BY sipHash64(${list}) LIMIT 64`,
    params: {},
  });
  return JSON.parse(result.rows.toString('utf8')) as SampledRows;
}

async function compareOne(deps: CoreDeps, proof: Proof, sample: Sample): Promise<string | null> {
  const { query, table, plan } = proof;
  const inlineQuery = compileQuery(query, sample.bound, null);
  const readQuery = compileRead(query, sample.bound, { table, plan });
  const [inline, read] = [
    await attempt(() => ask(deps, proof, inlineQuery)),
    await attempt(() => ask(deps, proof, readQuery)),
  ];
  proof.signal.throwIfAborted();
  if (inline.kind === 'failed' || read.kind === 'failed') return oneFailed(inline, read);
  if (!inline.value.hasMore && !read.value.hasMore) return findDifference(inline.value, read.value);
  const counts = await Promise.all([
    count(deps, proof, inlineQuery),
    count(deps, proof, readQuery),
  ]);
  return counts[0] === counts[1]
    ? null
    : `inline has ${counts[0]} rows and the stored table gives ${counts[1]}`;
}

type Attempt =
  | { readonly kind: 'done'; readonly value: EngineResult }
  | { readonly kind: 'failed'; readonly error: unknown };

async function attempt(work: () => Promise<EngineResult>): Promise<Attempt> {
  try {
    return { kind: 'done', value: await work() };
  } catch (error) {
    return { kind: 'failed', error };
  }
}

function oneFailed(inline: Attempt, read: Attempt): string | null {
  if (inline.kind === 'failed' && read.kind === 'failed') return null;
  const failed = inline.kind === 'failed' ? inline : read;
  if (failed.kind === 'done') return null;
  const words = failed.error instanceof Error ? failed.error.message : String(failed.error);
  return `only ${failed === inline ? 'the query itself' : 'the read of the stored table'} fails: ${words}`;
}

interface Compiled {
  readonly sql: string;
  readonly params: Readonly<Record<string, string>>;
}

function ask(deps: CoreDeps, proof: Proof, { sql, params }: Compiled): Promise<EngineResult> {
  return deps.engine.query(
    {
      projectId: proof.projectId,
      sql,
      params,
      queryId: uuidv7(deps.clock.now()),
      limit: maxRows,
      offset: 0,
      integers: 'string',
    },
    proof.signal,
  );
}

async function count(deps: CoreDeps, proof: Proof, { sql, params }: Compiled): Promise<string> {
  const result = await ask(deps, proof, {
    sql: `SELECT count() AS n FROM (\n${sql}\n)`,
    params,
  });
  return JSON.stringify(JSON.parse(result.rows.toString('utf8')));
}
