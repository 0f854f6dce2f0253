/**
 * Causes faults under load, one at a time, and prints the responses to callers, how long until everything worked again,
 * and whether anything that was acknowledged is missing.
 *
 *     npm run faults -- [--short] [--json] [name …]     all of them when none is named
 *     npm run faults -- [--short] fleet [event …]       three processes behind a balancer
 *     npm run faults -- cluster --url URL …             on ClickHouse servers of your own
 *
 * `live` publishes results to followers who move between two processes, which are killed and stopped, and prints what was
 * lost, repeated or out of order.
 */
import { runCluster } from './cluster/run.ts';
import { type FaultName, faults } from './faults.ts';
import { printRow, tableHead, tryFleet, whyNoFleet } from './fleet/fleet.ts';
import { type LiveReport, longTrial, shortTrial, tryLive } from './live/trial.ts';
import { type Fault, type Report, tryFault } from './support/trial.ts';

const given = process.argv.slice(2);
const flags = new Set(given.filter((word) => word.startsWith('--')));
const named = given.filter((word) => !word.startsWith('--'));

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function printReport(report: Report, title: string): void {
  print(`\n${report.fault}: ${title}, for ${(report.heldMs / 1000).toFixed(1)} s`);
  for (const [kind, found] of Object.entries(report.kinds)) {
    const responses = Object.entries(found.responses).map(([what, count]) => `${what} × ${count}`);
    print(
      `  ${kind.padEnd(7)} longest ${String(found.longestMs).padStart(6)} ms  works again after ${String(found.recoveryMs).padStart(6)} ms  ${responses.join(', ')}`,
    );
  }
  print(`  ${report.acknowledged} writes acknowledged, ${report.lost.length} lost`);
  for (const problem of report.problems) print(`  PROBLEM ${problem}`);
}

function printLive({ toldMs, problems, ...counts }: LiveReport): void {
  const facts = Object.entries(counts).map(([what, count]) => `${what} ${count}`);
  print(`\nlive: ${facts.join(', ')}`);
  print(
    `  everyone was told after ${toldMs.median} ms in the median, ${toldMs.longest} ms at most`,
  );
  print(`  ${problems.length} contents lost, repeated or out of order`);
  for (const problem of problems) print(`  PROBLEM ${problem}`);
}

async function runFleet(names: readonly string[]): Promise<number> {
  const missing = whyNoFleet();
  if (missing !== null) {
    print(`\nfleet: DID NOT RUN: it takes ${missing.what}`);
    return 0;
  }
  print(tableHead);
  const length = flags.has('--short') ? 'short' : 'long';
  const chosen = names.length === 0 ? undefined : names;
  const rows = await tryFleet(length, chosen, (row) => print(printRow(row)));
  const problems = rows.flatMap((row) => row.problems);
  for (const problem of problems) print(`PROBLEM ${problem}`);
  return problems.length;
}

if (given[0] === 'cluster') process.exit(await runCluster(given.slice(1), print));
if (named[0] === 'fleet') process.exit((await runFleet(named.slice(1))) === 0 ? 0 : 1);

let bad = 0;
const reports: (Report | LiveReport)[] = [];
const live = 'live';
const all: readonly string[] = [...Object.keys(faults), live];
for (const name of (named.length === 0 ? all : named) as readonly (FaultName | typeof live)[]) {
  if (name === live) {
    const report = await tryLive(flags.has('--short') ? shortTrial : longTrial);
    if (report.problems.length > 0) bad += 1;
    reports.push(report);
    if (!flags.has('--json')) printLive(report);
    continue;
  }
  const fault: Fault | undefined = faults[name];
  if (fault === undefined) {
    throw new Error(`there is no fault ${name}; there are ${all.join(', ')}`);
  }
  const missing = fault.missing?.() ?? null;
  if (missing !== null) {
    print(`\n${name}: DID NOT RUN: it takes ${missing.what}`);
    continue;
  }
  const setup = await fault.open();
  const length = flags.has('--short') ? 'short' : 'long';
  const report = await tryFault(name, fault, { setup, length }).finally(() => setup.close());
  if (report.problems.length > 0) bad += 1;
  reports.push(report);
  if (!flags.has('--json')) printReport(report, fault.title);
}
if (flags.has('--json')) print(JSON.stringify(reports, null, 2));
process.exitCode = bad === 0 ? 0 : 1;
