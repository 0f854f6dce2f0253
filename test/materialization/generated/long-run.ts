/** `node test/materialization/generated/long-run.ts QUERIES [seed] [first]`: so many generated queries, five runs each. */
import { startTestEngine } from '../../support/test-engine.ts';
import { startTestPostgres } from '../../support/test-server.ts';
import { type Finding, openService, runTrials } from './trials.ts';

const queries = Number(process.argv[2] ?? 1000);
const seed = Number(process.argv[3] ?? Date.now() % 2 ** 31);
const from = Number(process.argv[4] ?? 0);
console.log(`${queries} queries, seed ${seed}, from number ${from}`);

function tell({ index, sql, outcome, smallest }: Finding): void {
  console.log(
    `\n--- ${outcome.kind}: seed ${seed}, number ${index}\n${sql}\n${JSON.stringify(outcome)}`,
  );
  console.log(`smallest: ${smallest.sql}\n${JSON.stringify(smallest.outcome)}`);
}

function print(what: string, counts: ReadonlyMap<string, number>): void {
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  for (const [why, count] of sorted) console.log(`${what} ${count}: ${why}`);
}

const postgres = await startTestPostgres();
const engine = await startTestEngine();
try {
  const servers = { engine: engine.shared, postgres: postgres.shared };
  const service = await openService(seed, servers);
  const began = performance.now();
  const { refused, invalid, findings, ...counts } = await runTrials(service, {
    seed,
    from,
    queries,
    tell,
  });
  await service.close();
  print('invalid', invalid);
  print('refused', refused);
  const sum = (all: ReadonlyMap<string, number>) => [...all.values()].reduce((a, b) => a + b, 0);
  const failed = findings.filter(({ outcome }) => outcome.kind === 'failed').length;
  const seconds = Math.round((performance.now() - began) / 1000);
  console.log({
    queries,
    ...counts,
    refused: sum(refused),
    invalid: sum(invalid),
    failed,
    wrong: findings.length - failed,
    seconds,
  });
  if (findings.length > 0) process.exitCode = 1;
} finally {
  await engine.stop();
  await postgres.stop();
}
