/** Plans of texts that passed the guard, cached by text. */
import { LRUCache } from 'lru-cache';
import { invalidQuery } from '../../../errors/service-error.ts';
import type { EngineStatement } from '../../query-engine.ts';
import { type Fault, isFaultOfText } from '../errors/translate-error.ts';
import { type CheckedStatement, checkStatement } from '../guard/check-statement.ts';
import { withReadableTexts } from '../guard/readable-texts.ts';
import { blockSettings, requireValues, type VariableRules } from '../guard/rules/variable-rules.ts';
import type { Settings } from '../http/request-message.ts';
import type { Session } from '../http/session.ts';
import { planStatement, type StatementPlan } from './plan-statement.ts';
import { refusalOfColumns } from './result-types.ts';

/** A plan of a text that passed the guard. */
export interface CheckedPlan extends StatementPlan {
  /** What each run must satisfy. */
  readonly rules: VariableRules;
  /** Settings of each run, if the project's user may send any. */
  readonly blockSettings: Settings;
  /** Whether it looks for tokens in a text that may be NULL. */
  readonly searchesNull: boolean;
}

export interface Plans {
  find(query: EngineStatement): CheckedPlan | undefined;
  /**
   * Checks the text with its values and caches the plan.
   *
   * @throws ServiceError like `checkStatement`, and `invalid_query` for columns that no format can carry.
   */
  make(query: EngineStatement, fault: Fault): Promise<CheckedPlan>;
  /** @throws ServiceError `invalid_input` for a value that the text does not accept. */
  requireValues(plan: CheckedPlan, query: EngineStatement): Promise<void>;
  /** Columns of the project's tables have changed, or of any project's if null. */
  forget(projectId: number | null): void;
}

/** Limited, because a plan holds column types, and not every change of a table is announced. */
const TTL_MS = 60_000;
const MAX_PLANS = 5000;
/** Texts may be long, so the cache is bounded by memory as well as by count. */
const MAX_BYTES = 67_108_864;

export function openPlans(session: Session): Plans {
  const plans = new LRUCache<string, CheckedPlan>({
    max: MAX_PLANS,
    ttl: TTL_MS,
    maxSize: MAX_BYTES,
    sizeCalculation: ({ text, columns }, key) =>
      2 * (key.length + text.length) + 200 * (columns.length + 1),
  });
  let changes = 0;
  return {
    find: (query) => plans.get(keyOf(query)),
    forget(projectId) {
      changes += 1;
      const prefix = projectId === null ? '' : keyOf({ projectId, sql: '' });
      for (const key of plans.keys()) if (key.startsWith(prefix)) plans.delete(key);
    },
    async make(query, fault) {
      const changesBefore = changes;
      const { statement, columns, rules, searchesNull } = await checkWithAnyTexts(
        session,
        query,
        fault,
      );
      const refusal = refusalOfColumns(columns);
      if (refusal !== null) throw invalidQuery(refusal);
      const plan = {
        ...planStatement(statement, columns),
        rules,
        blockSettings: blockSettings(rules),
        searchesNull,
      };
      // A text that was being checked when columns changed may have been checked by the former ones.
      if (changes === changesBefore) plans.set(keyOf(query), plan);
      return plan;
    },
    async requireValues({ rules }, query) {
      if (rules.zones.length === 0 && rules.short.size === 0) return;
      requireValues(rules, query.params, await session.timeZones());
    },
  };
}

/**
 * The engine evaluates parts of a query during analysis and rejects texts there that it cannot read as the time or the
 * number that they are compared with. Such a query is checked with substitute values, since acceptance does not depend on
 * them.
 */
async function checkWithAnyTexts(
  session: Session,
  query: EngineStatement,
  fault: Fault,
): Promise<CheckedStatement> {
  try {
    return await checkStatement(session, query, fault);
  } catch (error) {
    if (!isFaultOfText(error)) throw error;
    const checked = await withReadableTexts(query, error, (params) =>
      checkStatement(session, { ...query, params }, fault),
    );
    requireValues(checked.rules, query.params, await session.timeZones());
    return checked;
  }
}

function keyOf({ projectId, sql }: Pick<EngineStatement, 'projectId' | 'sql'>): string {
  return `${projectId}\n${sql}`;
}
