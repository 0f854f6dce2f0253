/** Digests of a query's result inline and from its stored table. */
import { syncShare } from '../../access/admission/admission.ts';
import { OverrunError } from '../../engine/execution-origin.ts';
import type {
  DigestedStatement,
  EngineStatement,
  NamedStatement,
  RowDigest,
} from '../../engine/query-engine.ts';
import type { ResultShape } from '../../engine/result-shape.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { uuidv7 } from '../../lib/ids.ts';
import type { MaterializationDeps } from '../deps.ts';
import type { GroupSample } from './sample-groups.ts';

export interface ComparedSides {
  readonly inline: EngineStatement;
  readonly stored: EngineStatement;
  /** Shape of the query's result. */
  readonly shape: ResultShape;
  /** Restricts both results to the compared part. */
  readonly partOf: GroupSample;
  readonly signal: AbortSignal;
}

type Settled = PromiseSettledResult<RowDigest>;

export async function digests(
  deps: MaterializationDeps,
  compared: ComparedSides,
  isSmall: boolean,
): Promise<readonly [Settled, Settled]> {
  const inOrder = compared.shape.keys.length > 0 ? 'all' : null;
  const digestOf = (statement: EngineStatement) =>
    attempt(digest(deps, compared, { ...statement, inOrder, isSmall }));
  const both = [await digestOf(compared.inline), await digestOf(compared.stored)] as const;
  compared.signal.throwIfAborted();
  return both;
}

export function digest(
  deps: MaterializationDeps,
  { partOf, signal }: ComparedSides,
  statement: EngineStatement & Pick<DigestedStatement, 'inOrder' | 'isSmall'>,
): Promise<RowDigest> {
  return deps.engine.digest(named(deps, partOf(statement)), signal);
}

async function attempt<T>(work: Promise<T>): Promise<PromiseSettledResult<T>> {
  const [settled] = await Promise.allSettled([work]);
  const isOverrun = settled.status === 'rejected' && settled.reason instanceof OverrunError;
  if (isOverrun) throw settled.reason;
  return settled;
}

export function namesOf({ columns }: RowDigest): string {
  return columns.map(({ name, type }) => `${name} ${type}`).join(', ');
}

/** Whether digests of small results tell as much as others: of different ones, the others are described. */
export function areConclusive([inline, stored]: readonly [Settled, Settled]): boolean {
  if (inline.status === 'fulfilled' && stored.status === 'fulfilled')
    return areSame(inline.value, stored.value);
  return ![inline, stored].some(isTooLarge);
}

function isTooLarge(side: Settled): boolean {
  const error: unknown = side.status === 'rejected' ? side.reason : null;
  return error instanceof ServiceError && error.code === 'query_too_large';
}

function areSame(one: RowDigest, other: RowDigest): boolean {
  const isSame = one.hash === other.hash && one.rows === other.rows;
  return isSame && one.sequence === other.sequence && namesOf(one) === namesOf(other);
}

export function named<S extends EngineStatement>(
  deps: MaterializationDeps,
  statement: S,
): S & NamedStatement {
  return { ...statement, queryId: uuidv7(deps.clock.now()), share: syncShare };
}
