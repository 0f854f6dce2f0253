/** Many generated queries, some at a time, and the smallest form of each that fails. */
import type { Config } from '../../../src/config/config.ts';
import { openLog } from '../../../src/config/open-log.ts';
import { openPlanner } from '../../../src/materialization/open-planner.ts';
import { openTestApp, type TestAppOptions } from '../../support/test-app.ts';
import { byTop, switchedPlanner, thresholdOf } from '../support/chosen-storage.ts';
import { type Generated, generateQuery, written } from './queries.ts';
import { reductions } from './reductions.ts';
import { statementsFor } from './schema.ts';
import { type Created, create, judge, type Outcome, remove, type Service } from './trial.ts';

export interface Finding {
  readonly seed: number;
  readonly index: number;
  readonly outcome: Outcome;
  readonly sql: string;
  /** Of the smallest query that fails in the same way. */
  readonly smallest: { readonly outcome: Outcome; readonly sql: string };
}

export interface Tally {
  accepted: number;
  compared: number;
  withRows: number;
  failing: number;
  inline: number;
  readonly refused: Map<string, number>;
  readonly invalid: Map<string, number>;
  readonly findings: Finding[];
}

/** @param seed of the rows. */
export async function openService(
  seed: number,
  servers?: TestAppOptions['servers'],
): Promise<Service & { close(): Promise<void> }> {
  const settings: Partial<Config> = { maxConcurrentQueries: 32 };
  const planner = switchedPlanner();
  const options = {
    planMaterialization: planner.plan,
    workerTimes: { random: () => 0 },
    ...(servers === undefined ? {} : { servers }),
  };
  const service = await openTestApp(settings, openLog('silent'), options);
  planner.use(byTop(openPlanner(service.app.core.engine), thresholdOf));
  for (const statement of statementsFor(seed)) await service.sql(statement);
  return service;
}

const batch = 12;
const parallel = 4;

export async function runTrials(
  service: Service,
  given: {
    readonly seed: number;
    readonly from: number;
    readonly queries: number;
    readonly tell?: (finding: Finding) => void;
  },
): Promise<Tally> {
  const tally: Tally = {
    accepted: 0,
    compared: 0,
    withRows: 0,
    failing: 0,
    inline: 0,
    refused: new Map(),
    invalid: new Map(),
    findings: [],
  };
  for (let first = given.from; first < given.from + given.queries; first += batch) {
    const last = Math.min(first + batch, given.from + given.queries);
    const numbers = Array.from({ length: last - first }, (_none, at) => first + at);
    const outcomes = await tryAll(
      service,
      numbers.map((index) => generateQuery(given.seed, index)),
    );
    for (const [at, outcome] of outcomes.entries()) {
      count(tally, outcome);
      if (outcome.kind !== 'failed' && outcome.kind !== 'wrong') continue;
      const index = first + at;
      const generated = generateQuery(given.seed, index);
      const smallest = await shrink(service, generated, outcome);
      const finding = { seed: given.seed, index, outcome, sql: written(generated).sql, smallest };
      tally.findings.push(finding);
      given.tell?.(finding);
    }
  }
  return tally;
}

function count(tally: Tally, outcome: Outcome): void {
  const add = (counts: Map<string, number>, why: string) =>
    counts.set(kindOf(why), (counts.get(kindOf(why)) ?? 0) + 1);
  if (outcome.kind === 'refused') add(tally.refused, outcome.why);
  else if (outcome.kind === 'invalid') add(tally.invalid, outcome.why);
  else tally.accepted += 1;
  if (outcome.kind !== 'same') return;
  tally.compared += outcome.compared;
  tally.withRows += outcome.withRows;
  tally.failing += outcome.failing;
  tally.inline += outcome.inline;
}

/** A reason without what is special to one query. */
function kindOf(reason: string): string {
  return reason
    .replace('Cannot materialize endpoint. ', '')
    .replace(/\b([Vv]ariable|subquery of) \S+/g, '$1 x')
    .replace(/\(.*\)/g, '(…)')
    .slice(0, 160);
}

let names = 0;

async function tryAll(service: Service, all: readonly Generated[]): Promise<readonly Outcome[]> {
  const created = all.map((generated): Created => ({ name: `g${names++}`, generated }));
  const decided = await inParallel(created, (one) => create(service, one));
  const syncs = Array.from({ length: 2 }, () => service.app.materialization.runOnce());
  await Promise.all(syncs);
  const outcomes = await inParallel(created, async (one, at) => decided[at] ?? judge(service, one));
  await inParallel(
    created.filter((_one, at) => decided[at] === null),
    (one) => remove(service, one),
  );
  service.clock.advance(60_000);
  await service.app.materialization.sweep();
  return outcomes;
}

async function inParallel<A, B>(
  list: readonly A[],
  work: (one: A, at: number) => Promise<B>,
): Promise<B[]> {
  const results: B[] = [];
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < list.length; at = next++)
      results[at] = await work(list[at] as A, at);
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  return results;
}

const maxRounds = 20;
const candidates = 6;

/** Drops one clause after the other, as long as the rest fails in the same way. */
async function shrink(
  service: Service,
  first: Generated,
  found: Outcome,
): Promise<Finding['smallest']> {
  let [smallest, outcome] = [first, found];
  let rest = reductions(smallest.select);
  for (let round = 0; round < maxRounds; round += 1) {
    const selects = takeFrom(rest, candidates);
    if (selects.length === 0) break;
    const tried = selects.map((select) => ({ ...smallest, select }));
    const outcomes = await tryAll(service, tried);
    const at = outcomes.findIndex((one) => isSameFailure(one, found));
    [smallest, outcome] = [tried[at] ?? smallest, outcomes[at] ?? outcome];
    if (at >= 0) rest = reductions(smallest.select);
  }
  return { outcome, sql: written(smallest).sql };
}

function takeFrom<T>(all: Iterator<T>, count: number): readonly T[] {
  const taken: T[] = [];
  for (let next = all.next(); next.done !== true; next = all.next()) {
    taken.push(next.value);
    if (taken.length === count) break;
  }
  return taken;
}

function isSameFailure(a: Outcome, b: Outcome): boolean {
  if (a.kind !== b.kind) return false;
  if (a.kind === 'wrong' && b.kind === 'wrong') return start(a.why) === start(b.why);
  return a.kind === 'failed' && b.kind === 'failed' && start(a.why) === start(b.why);
}

const start = (text: string) => text.replace(/\d+/g, '').slice(0, 24);
