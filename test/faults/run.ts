/**
 * Causes faults under load, one at a time, and prints the responses to callers, how long until everything worked again,
 * and whether anything that was acknowledged is missing.
 *
 *     npm run faults -- [--short] [--json] [name …]     all of them when none is named
 */
import { type FaultName, faults } from './faults.ts';
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

let bad = 0;
const reports: Report[] = [];
for (const name of (named.length === 0 ? Object.keys(faults) : named) as readonly FaultName[]) {
  const fault: Fault | undefined = faults[name];
  if (fault === undefined) {
    throw new Error(`there is no fault ${name}; there are ${Object.keys(faults).join(', ')}`);
  }
  const missing = fault.missing?.() ?? null;
  if (missing !== null) {
    print(`\n${name}: DID NOT RUN: it takes ${missing.what}`);
    continue;
  }
  const report = await tryFault(name, fault, flags.has('--short') ? 'short' : 'long');
  if (report.problems.length > 0) bad += 1;
  reports.push(report);
  if (!flags.has('--json')) printReport(report, fault.title);
}
if (flags.has('--json')) print(JSON.stringify(reports, null, 2));
process.exitCode = bad === 0 ? 0 : 1;
