/** Measures Querydock on this machine, each figure against its reference in the same run, and checks every target. */
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Case, cases, probes } from './cases.ts';
import { fullEffort, quickEffort } from './effort.ts';
import { isMet } from './figure.ts';
import { printFigures } from './print-figures.ts';
import { startProfiling } from './profile.ts';
import {
  type CaseResults,
  describeMachine,
  findCommit,
  publish,
  resultsDir,
  writeResults,
} from './results-file.ts';
import { writeDocs } from './write-docs.ts';

const usage = `npm run bench [-- CASE... --quick --profile --write-docs]
  --quick       one short round: shows whether a case works, not how fast it is
  --profile     also prints where the service's processor time went; profiling itself takes some
  --write-docs  writes the figures to docs/performance.md and its chart
Cases: ${Object.keys(cases).join(', ')}
Only by name, and not for the docs: ${Object.entries(probes).map(withParts).join(', ')}`;

const { names, quick, profile, docs } = readArguments();
const effort = quick ? quickEffort : fullEffort;
const machine = describeMachine();
const commit = findCommit();
const file = path.join(resultsDir, `${new Date().toISOString().replaceAll(':', '-')}.json`);
const found: Record<string, CaseResults> = {};
for (const [name, each] of Object.entries({ ...cases, ...probes })) {
  if (!names.includes(name)) continue;
  found[name] = await runCase(name, each);
  writeResults(file, { cases: found });
}
const figures = Object.values(found).flatMap((each) => each.figures);
const count = (met: boolean) => figures.filter((each) => isMet(each) === met).length;
console.log(`\n${count(true)} targets met, ${count(false)} not met`);
console.log(`figures with all samples: ${path.relative(process.cwd(), file)}`);
if (docs) writeDocs(publish(found));
if (Object.values(found).some(({ failure }) => failure !== null)) process.exitCode = 1;

/** A failing case does not stop the others. */
async function runCase(name: string, { title, measure, parts = [] }: Case): Promise<CaseResults> {
  const startedAt = performance.now();
  console.log(`\n${name}: ${title}`);
  const profiling = profile ? startProfiling() : null;
  const outcome = await measure(
    effort,
    parts.filter((part) => names.includes(part)),
  ).then(
    (figures) => ({ figures, failure: null }),
    (error: unknown) => ({ figures: [], failure: String(error) }),
  );
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  printFigures(outcome.figures);
  for (const [part, share] of profiling?.summarise(16) ?? [])
    console.log(`  ${(100 * share).toFixed(1).padStart(5)} %  ${part}`);
  profiling?.stop();
  if (outcome.failure !== null) console.log(`  FAILED: ${outcome.failure}`);
  console.log(`  took ${seconds} s`);
  return { at: new Date().toISOString(), commit, machine, seconds, ...outcome };
}

function withParts([name, { parts = [] }]: readonly [string, Case]): string {
  return parts.length === 0 ? name : `${name} [${parts.join('|')}]`;
}

function readArguments() {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      'write-docs': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const isForDocs = values['write-docs'];
  const measured: Readonly<Record<string, Case>> = isForDocs ? cases : { ...cases, ...probes };
  const parts = positionals.flatMap((name) => measured[name]?.parts ?? []);
  const isKnown = positionals.every(
    (name) => Object.hasOwn(measured, name) || parts.includes(name),
  );
  if (values.help || !isKnown || (isForDocs && (values.quick || values.profile))) {
    console.log(usage);
    process.exit(values.help ? 0 : 2);
  }
  const names = positionals.length > 0 ? positionals : Object.keys(cases);
  return { names, quick: values.quick, profile: values.profile, docs: isForDocs };
}
