/**
 * Binds text variables that a query compares with dates and times as values of those types, so that every ISO 8601
 * spelling means the same to comparisons, IN and indexes. In any other use a variable stays text.
 */
import type { ServiceError } from '../../../errors/service-error.ts';
import { isTextListType, isTextType, typeToText } from '../../../sql/clickhouse-type.ts';
import { equalOperand } from '../../../sql/equal-operand.ts';
import { formatParam } from '../../../sql/param-value.ts';
import { readQueryTree } from '../../../sql/query-tree.ts';
import type { EngineParams, EngineStatement } from '../../query-engine.ts';
import { isFaultOfText } from '../errors/translate-error.ts';
import {
  readSqlText,
  replaceSubstitutions,
  type SqlText,
  type Substitution,
} from '../guard/parse/sql-text.ts';
import { withReadableTexts } from '../guard/readable-texts.ts';
import { readerRows, type Session, toTexts } from '../http/session.ts';
import { planStatement } from '../query/plan-statement.ts';
import type { CheckedPlan } from '../query/plans.ts';
import { wholeTree } from '../whole-tree.ts';
import { markedStatement, readTimeComparisons, type TimeComparison } from './time-comparisons.ts';
import { invalidTime, paramName, textsOf, typedTime } from './typed-times.ts';

/** A plan and the parameter values of its text. */
export interface BoundPlan {
  readonly plan: CheckedPlan;
  readonly params: EngineParams;
}

export interface TimeBinder {
  /** @throws ServiceError `invalid_input` for a time with more precision than the engine's type. */
  bind(plan: CheckedPlan, query: EngineStatement): Promise<BoundPlan>;
  /** Whether values have been bound by the types of the plan's tables. */
  isTyped(plan: CheckedPlan): boolean;
  /** Improves the error of a failed run: if a value that is not a time explains it, the error names its variable. */
  explain(failure: ServiceError, plan: CheckedPlan, query: EngineStatement): Promise<ServiceError>;
}

type Comparisons = ReadonlyMap<Substitution, TimeComparison>;

/** What is cached per plan. */
interface PlanTexts {
  readonly text: SqlText;
  readonly variables: readonly Substitution[];
  /** Found once, for the first value that may be a time. */
  comparisons: Promise<Comparisons> | undefined;
  /** Plans with typed parameters, by statement: types vary with the value, for example in their decimals. */
  readonly typed: Map<string, CheckedPlan>;
}

const MAX_TYPED = 30;
/** Every spelling of a time contains a digit. */
const MAY_BE_TIME = /\d/;

export function openTimeBinder(session: Session): TimeBinder {
  const known = new WeakMap<CheckedPlan, PlanTexts>();
  function textsOfPlan(plan: CheckedPlan): PlanTexts {
    const found = known.get(plan) ?? readTexts(plan);
    known.set(plan, found);
    return found;
  }
  return {
    async bind(plan, query) {
      const own = { plan, params: query.params };
      const texts = textsOfPlan(plan);
      const textOf = ({ name }: Substitution) => query.params[name] ?? '';
      if (!texts.variables.some((each) => MAY_BE_TIME.test(textOf(each)))) return own;
      const comparisons = await comparisonsOf(session, texts, query);
      return comparisons.size === 0
        ? own
        : bindTimes(session, { ...own, texts, query, comparisons });
    },
    isTyped: (plan) => (known.get(plan)?.typed.size ?? 0) > 0,
    async explain(failure, plan, query) {
      const texts = textsOfPlan(plan);
      if (failure.code !== 'query_failed' || texts.variables.length === 0) return failure;
      for (const [variable, comparison] of await comparisonsOf(session, texts, query)) {
        for (const text of textsOf(variable, query.params[variable.name] ?? '')) {
          const time = typedTime({ ...variable, type: 'String' }, comparison, text);
          if (time?.kind !== 'unread' || (await isReadable(session, query, time))) continue;
          return invalidTime(variable, comparison);
        }
      }
      return failure;
    },
  };
}

function readTexts({ statement }: CheckedPlan): PlanTexts {
  const text = readSqlText(statement);
  const variables = text.substitutions.filter(
    ({ type }) => isTextType(type) || isTextListType(type),
  );
  return { text, variables, comparisons: undefined, typed: new Map() };
}

/** Empty when the engine cannot resolve the text with these values; another run tries again. */
async function comparisonsOf(
  session: Session,
  texts: PlanTexts,
  query: EngineStatement,
): Promise<Comparisons> {
  texts.comparisons ??= findComparisons(session, texts, query).catch((error: unknown) => {
    if (!isFaultOfText(error)) throw error;
    // The engine evaluates scalar subqueries with the values, and may read a time only after it is bound.
    return withReadableTexts({ sql: texts.text.sql, params: query.params }, error, (params) =>
      findComparisons(session, texts, { ...query, params }),
    );
  });
  try {
    return await texts.comparisons;
  } catch (error) {
    texts.comparisons = undefined;
    if (isFaultOfText(error)) return new Map();
    throw error;
  }
}

/**
 * Marks each occurrence of a variable separately or, where the engine needs equal expressions to be written alike
 * (SELECT and GROUP BY), each variable.
 */
async function findComparisons(
  session: Session,
  { text, variables }: PlanTexts,
  query: EngineStatement,
): Promise<Comparisons> {
  const find = async (markOf: (variable: Substitution) => string) => {
    const sql = `EXPLAIN QUERY TREE passes = 1\n${markedStatement(text, markOf)}`;
    const lines = await wholeTree(async (ownSettings) =>
      toTexts(await readerRows(session, { ...query, sql, ownSettings }, { fault: 'query_failed' })),
    );
    const found = readTimeComparisons(readQueryTree(lines) ?? []);
    return new Map(
      variables.flatMap((variable) => {
        const comparison = found.get(markOf(variable));
        return comparison === undefined ? [] : [[variable, comparison] as const];
      }),
    );
  };
  try {
    return await find((variable) => String(variable.start));
  } catch (error) {
    if (!isFaultOfText(error)) throw error;
    return find(({ name }) => name);
  }
}

interface Binding extends BoundPlan {
  readonly texts: PlanTexts;
  readonly query: EngineStatement;
  readonly comparisons: Comparisons;
}

async function bindTimes(session: Session, binding: Binding): Promise<BoundPlan> {
  const { plan, params, texts, query, comparisons } = binding;
  const written = new Map<Substitution, string>();
  const added: Record<string, string> = {};
  for (const [variable, comparison] of comparisons) {
    const time = typedTime(variable, comparison, params[variable.name] ?? '');
    if (time?.kind === 'typed') {
      const name = paramName(variable, time.param);
      added[name] = time.param.text;
      const value = `{${name}:${time.param.type}}`;
      const { type, isEquality } = comparison;
      const operand = equalOperand(value, time.param.type, typeToText(type));
      written.set(variable, isEquality ? operand : value);
    } else if (time?.kind === 'unread' && (await isReadable(session, query, time))) {
      written.set(variable, `CAST({${variable.name}:${variable.type}} AS ${time.type})`);
    }
  }
  if (written.size === 0) return { plan, params };
  const statement = replaceSubstitutions(texts.text, (each, own) => written.get(each) ?? own);
  return { plan: typedPlan(plan, texts, statement), params: { ...params, ...added } };
}

function typedPlan(plan: CheckedPlan, { typed }: PlanTexts, statement: string): CheckedPlan {
  const found = typed.get(statement);
  if (found !== undefined) return found;
  const made = { ...plan, ...planStatement(statement, plan.columns) };
  if (typed.size >= MAX_TYPED) typed.clear();
  typed.set(statement, made);
  return made;
}

/** Whether the engine can convert the text to the type. */
async function isReadable(
  session: Session,
  { projectId }: EngineStatement,
  { text, type }: { readonly text: string; readonly type: string },
): Promise<boolean> {
  const sql = `SELECT isNotNull(CAST({text:String} AS ${type}))`;
  const params = { text: formatParam('String', text) };
  try {
    await readerRows(session, { projectId, sql, params }, { fault: 'query_failed' });
    return true;
  } catch (error) {
    if (isFaultOfText(error)) return false;
    throw error;
  }
}
