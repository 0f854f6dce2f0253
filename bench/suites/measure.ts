/** A public benchmark through a real service: what can be materialized, whether every answer is exact, and what it gains. */
import os from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { type DemoServer, withDemo } from '../demo-server.ts';
import type { Effort } from '../effort.ts';
import { type Figure, median } from '../figure.ts';
import { timeRun } from '../materialization-demo.ts';
import { suites } from './all.ts';
import {
  type Body,
  fillTables,
  forms,
  judge,
  type SavedQuery,
  type SuiteService,
  saveQuery,
  valuesOf,
} from './examine.ts';
import { figuresOf, heading, lineOf, type Outcome } from './report.ts';
import type { Suite } from './suite.ts';

/** Timed inline runs of each set of values. */
const inARow = 5;
const pollMs = 250;

/** Timed stored runs of a query, with all of its sets of values in turns. */
const storedRuns = { rounds: 200, seconds: 1 };

/** The part that measures with ten times the rows, in fewer runs. */
export const tenfold = 'tenfold';
const tenfoldRuns = { rounds: 20, seconds: 1 };

/** A query that reads nothing, which takes as long as anything does on the same way. */
const floor = 'floor';

/** @param parts names of suites, all when there are none; and `tenfold`. */
export async function measureSuites(
  effort: Effort,
  parts: readonly string[],
): Promise<readonly Figure[]> {
  const names = parts.filter((part) => part !== tenfold);
  const isTenfold = names.length < parts.length;
  const runs = effort.of(isTenfold ? tenfoldRuns : storedRuns).rounds;
  const figures: Figure[] = [];
  for (const suite of suites) {
    if (names.length > 0 && !names.includes(suite.name)) continue;
    const scale = runs === 1 ? suite.smallScale : suite.scale;
    figures.push(...(await measure(suite, { scale: isTenfold ? 10 * scale : scale, runs })));
  }
  return figures;
}

/** Each suite has a service of its own, since their tables have the same names. */
function measure(
  suite: Suite,
  { scale, runs }: { readonly scale: number; readonly runs: number },
): Promise<readonly Figure[]> {
  return withDemo(async (demo) => {
    const service = serviceOf(demo);
    await fillTables(service, suite, scale);
    await demo.rest('POST', '', { name: floor, query: 'SELECT 1 AS one' });
    const saved: SavedQuery[] = [];
    for (const query of suite.queries)
      for (const form of forms) saved.push(await saveQuery(service, query, form));
    // Everything is stored before anything is timed.
    const failures = new Map<SavedQuery, string | null>();
    for (const each of saved)
      if (each.refusal === null) failures.set(each, await waitForSync(service, each.endpoint));
    const outcomes: Outcome[] = [];
    console.log(`  ${suite.title}, load average ${loadAverage()}: ${heading}`);
    for (const each of saved) {
      const outcome = await examine(demo, each, { failure: failures.get(each) ?? null, runs });
      console.log(`  ${lineOf(outcome)}`);
      outcomes.push(outcome);
    }
    console.log(`  load average ${loadAverage()}`);
    return forms.flatMap((form) => figuresOf(suite, form, outcomes));
  });
}

const loadAverage = () => (os.loadavg()[0] ?? Number.NaN).toFixed(1);

function serviceOf(demo: DemoServer): SuiteService {
  return {
    sql: (statement) => demo.sql(statement),
    async rest(method, path, body) {
      const response = await fetch(demo.endpointsUrl + path, {
        method,
        headers: demo.headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return (await response.json()) as Body;
    },
  };
}

/** Why it failed; null when it is done. */
async function waitForSync({ rest }: SuiteService, endpoint: string): Promise<string | null> {
  for (let tries = 0; tries < 2400; tries += 1) {
    const { status, error } = await rest('GET', `/${endpoint}/materialization_status`);
    if (status === 'Completed') return null;
    if (status === 'Failed') return String(error);
    await delay(pollMs);
  }
  return 'was not synced in ten minutes';
}

async function examine(
  demo: DemoServer,
  saved: SavedQuery,
  { failure, runs }: { readonly failure: string | null; readonly runs: number },
): Promise<Outcome> {
  const none = {
    ...saved,
    failure,
    compared: 0,
    rows: 0,
    rowsRead: 0,
    isKeyed: false,
    faults: [],
    inline: [],
    stored: null,
    source: null,
    floor: null,
  };
  if (saved.refusal !== null || failure !== null) return none;
  const answers = await judge(serviceOf(demo), saved);
  const faults = answers.flatMap(({ values, fault, inlineFault }) =>
    [fault, inlineFault && `inline: ${inlineFault}`].flatMap((each) =>
      each === null ? [] : [`with ${JSON.stringify(values)}: ${each}`],
    ),
  );
  const inline = answers.flatMap(({ inlineReason }) => inlineReason ?? []);
  const isInlinePossible = answers.every((answer) => answer.isInlinePossible);
  const times = await timeEach(demo, saved, { runs, isInlinePossible });
  const rows = Math.max(...answers.map((answer) => answer.rows));
  const rowsRead = Math.max(...answers.map((answer) => answer.rowsRead ?? 0));
  const isKeyed = await hasKeys(serviceOf(demo), saved.endpoint);
  const compared = answers.length - inline.length;
  return { ...none, compared, rows, rowsRead, isKeyed, faults, inline, ...times };
}

/** Whether the sorting key finds the rows of a run, and no condition is more than a comparison. */
async function hasKeys({ rest }: SuiteService, endpoint: string): Promise<boolean> {
  const preview = await rest('POST', `/${endpoint}/materialization_preview`, {});
  const sortingKey = preview.sorting_key as readonly string[];
  const variables = preview.variables as readonly { operator: string; column: string | null }[];
  const isCompared = ({ operator, column }: (typeof variables)[number]) =>
    column !== null && /^(?:=|IN|[<>]=?)$/.test(operator);
  return sortingKey.length > 0 && variables.length > 0 && variables.every(isCompared);
}

/** In turns, so that disturbances of the machine affect all of them. */
async function timeEach(
  demo: DemoServer,
  saved: SavedQuery,
  { runs, isInlinePossible }: { readonly runs: number; readonly isInlinePossible: boolean },
) {
  const times = { stored: [] as number[], source: [] as number[], floor: [] as number[] };
  const sets = valuesOf(saved);
  const timed = async (name: string, body: object) => (await timeRun(demo, name, body)).ms;
  for (let n = 0; n < Math.max(runs, sets.length); n += 1) {
    const variables = sets[n % sets.length] ?? {};
    times.stored.push(await timed(saved.endpoint, { variables, refresh: 'force' }));
    times.floor.push(await timed(floor, { refresh: 'force' }));
    if (isInlinePossible && n < inARow * sets.length)
      times.source.push(await timed(saved.endpoint, { variables, refresh: 'direct' }));
  }
  const { stored, source, floor: least } = times;
  return {
    stored: median(stored),
    source: isInlinePossible ? median(source) : null,
    floor: median(least),
  };
}
