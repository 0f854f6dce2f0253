/** A suite at its small scale in a service of its own: every query in both forms, with all its values. */
import { expect } from 'vitest';
import {
  type Body,
  type Form,
  fillTables,
  forms,
  judge,
  type SavedQuery,
  type SuiteService,
  saveQuery,
} from '../../../bench/suites/examine.ts';
import type { Suite } from '../../../bench/suites/suite.ts';
import { openTestApp, type TestApp } from '../../support/test-app.ts';
import { evenly } from '../support/materialized.ts';

export interface Examined {
  /** How many can be materialized. */
  readonly planned: Readonly<Record<Form, number>>;
  /** Query → reason, of those with variables. */
  readonly refusals: Readonly<Record<string, string>>;
  /** Sentences about constants that are refused, syncs that fail and answers that are wrong. */
  readonly faults: readonly string[];
  /** Answers from stored tables that are exact. */
  readonly exact: number;
  /** Of these, with at least one row. */
  readonly withRows: number;
  /** Answers that a service with a stored table took from the source, but for those that it measured to be faster there. */
  readonly inline: readonly string[];
  /** How many were taken from there because they are faster, which depends on the machine. */
  readonly faster: number;
}

/** Everything but what is refused. */
export function expectExact(found: Examined): void {
  const { planned, faults, inline, faster, exact, withRows } = found;
  expect(faults).toEqual([]);
  expect(inline).toEqual([]);
  expect(exact).toBe(planned.constants + 3 * planned.variables - faster);
  expect(withRows).toBeGreaterThan(0.8 * exact);
}

export async function examine(suite: Suite): Promise<Examined> {
  const test = await openTestApp({}, undefined, { workerTimes: evenly });
  try {
    return await examineIn(test, suite);
  } finally {
    await test.close();
  }
}

async function examineIn(test: TestApp, suite: Suite): Promise<Examined> {
  const service = serviceOf(test);
  await fillTables(service, suite, suite.smallScale);
  const saved: SavedQuery[] = [];
  for (const query of suite.queries)
    for (const form of forms) saved.push(await saveQuery(service, query, form));
  await test.app.materialization.runOnce();
  const found = {
    faults: [] as string[],
    inline: [] as string[],
    faster: 0,
    exact: 0,
    withRows: 0,
  };
  for (const each of saved) await countAnswers(service, each, found);
  const planned = (form: Form) =>
    saved.filter((each) => each.form === form && each.refusal === null).length;
  const refused = saved.flatMap(({ refusal, query, form }) =>
    refusal !== null && form === 'variables' ? [[query.name, refusal] as const] : [],
  );
  return {
    ...found,
    planned: { constants: planned('constants'), variables: planned('variables') },
    refusals: Object.fromEntries(refused),
  };
}

interface Found {
  readonly faults: string[];
  readonly inline: string[];
  faster: number;
  exact: number;
  withRows: number;
}

async function countAnswers(service: SuiteService, saved: SavedQuery, found: Found): Promise<void> {
  const { endpoint, refusal, form } = saved;
  if (refusal !== null) {
    if (form === 'constants') found.faults.push(`${endpoint} is refused: ${refusal}`);
    return;
  }
  const { status, error } = await service.rest('GET', `/${endpoint}/materialization_status`);
  if (status !== 'Completed') {
    found.faults.push(`${endpoint} is ${String(status)}: ${String(error)}`);
    return;
  }
  for (const answer of await judge(service, saved)) {
    const { values, fault, inlineFault, inlineReason, rows } = answer;
    const what = `${endpoint} with ${JSON.stringify(values)}`;
    if (!answer.isInlinePossible) found.faults.push(`${what} inline: needs too much memory`);
    if (fault !== null) found.faults.push(`${what}: ${fault}`);
    if (inlineFault !== null) found.faults.push(`${what} inline: ${inlineFault}`);
    if (inlineReason === 'faster') found.faster += 1;
    else if (inlineReason !== null) found.inline.push(`${what}: ${inlineReason}`);
    if (fault !== null || inlineReason !== null) continue;
    found.exact += 1;
    if (rows > 0) found.withRows += 1;
  }
}

function serviceOf(test: TestApp): SuiteService {
  return {
    async rest(method, path, body) {
      const options = body === undefined ? {} : { body };
      const response = await test.rest(method, `/endpoints${path}`, options);
      return response.body as Body;
    },
    sql: (statement) => test.sql(statement),
  };
}
