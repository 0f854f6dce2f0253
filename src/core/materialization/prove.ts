import { type CompiledQuery, compileQuery } from '../../domain/compile-query.ts';
import { mayMove } from '../../domain/materialization/determinism.ts';
import type { ParsedQuery } from '../../domain/query-definition.ts';
import { quoteName } from '../../domain/quote-name.ts';
import type { TableRead } from '../../domain/run-plan.ts';
import { uuidv7 } from '../../lib/ids.ts';
import type { CoreDeps } from '../deps.ts';
import { syncShare } from '../limits/admission.ts';
import { compileRead } from '../run/plan-run.ts';
import { compareResults } from './compare-results.ts';
import { sampleGroups } from './sample-groups.ts';
import { chooseSamples, type Sample, type SampledRows, sampledColumns } from './sample-values.ts';

export interface Proof extends TableRead {
  readonly projectId: number;
  readonly query: ParsedQuery;
  /** Rows of the table. */
  readonly rows: number;
  /** Rows of the source that were read to build it. */
  readonly rowsRead: number;
  readonly signal: AbortSignal;
}

/** What a proof may read of the source whatever the build read. */
const freeRows = 2_000_000;
/** Of the rows that the build read. */
const share = 0.5;

/**
 * Compares the stored table with the query on source data for values that stand in the table. Answers the
 * first difference as a sentence with its example, or null. Goes on to the next values until the source has been
 * read as far as is in proportion to the build.
 */
export async function findDisproof(deps: CoreDeps, proof: Proof): Promise<string | null> {
  const { query, table, plan, signal } = proof;
  const samples = chooseSamples(query, plan, await sampleRows(deps, proof));
  const partOf = (await sampleGroups(deps, proof)) ?? ((statement: CompiledQuery) => statement);
  const budget = Math.max(freeRows, share * proof.rowsRead);
  let spent = 0;
  for (const sample of samples) {
    const inline = partOf(compileQuery(query, sample.bound, null));
    const stored = partOf(compileRead(query, sample.bound, { table, plan }));
    const { projectId } = proof;
    const { difference, rowsRead } = await compareResults(deps, {
      inline: { projectId, ...inline },
      stored: { projectId, ...stored },
      signal,
    });
    if (difference !== null && !(await isOfTime(deps, proof, sample))) {
      return withExample(sample, difference);
    }
    spent += rowsRead;
    if (spent >= budget) return null;
  }
  return null;
}

/**
 * Whether a query that looks at the clock differs for that reason alone: asked within one statement, and so at one
 * time, what is stored and the query itself are the same.
 */
async function isOfTime(deps: CoreDeps, proof: Proof, { bound }: Sample): Promise<boolean> {
  const { projectId, query, plan, signal } = proof;
  if (!mayMove(plan.storedQuery) && !mayMove(plan.readQuery)) return false;
  const inline = compileQuery(query, bound, null);
  const stored = compileRead(query, bound, { table: `(${plan.storedQuery})`, plan });
  const queryId = uuidv7(deps.clock.now());
  const first = { projectId, ...inline, queryId, share: syncShare };
  const sides = [first, { projectId, ...stored }] as const;
  return (await deps.engine.difference(sides, proof.rows, signal)) === null;
}

function withExample({ values }: Sample, difference: string): string {
  const example = values === null ? '' : ` for ${JSON.stringify(values)}`;
  return `Its stored table does not give the same result as the query itself${example}: ${difference}.`;
}

const maxSampled = 64;

/** Distinct rows from all over the table, however large it is. */
async function sampleRows(deps: CoreDeps, proof: Proof): Promise<SampledRows> {
  const columns = sampledColumns(proof.plan).map(quoteName);
  if (columns.length === 0 || proof.rows === 0) return [];
  const list = columns.join(', ');
  const every = Math.max(1, Math.floor(proof.rows / 20_000));
  const result = await deps.engine.query(
    {
      projectId: proof.projectId,
      sql: `SELECT DISTINCT ${list} FROM ${proof.table} WHERE sipHash64(${list}) % ${every} = 0 ORDER BY sipHash64(${list}) LIMIT ${maxSampled}`,
      params: {},
      queryId: uuidv7(deps.clock.now()),
      limit: maxSampled,
      offset: 0,
      integers: 'string',
      share: syncShare,
    },
    proof.signal,
  );
  return JSON.parse(result.rows.toString('utf8')) as SampledRows;
}
