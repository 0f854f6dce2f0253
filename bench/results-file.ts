/** What a run found, as it is kept. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Figure, greatest, isMet, least, median } from './figure.ts';

export interface Results {
  readonly cases: Readonly<Record<string, CaseResults>>;
}

/** Each says where and when it was measured, so that cases of several runs can stand in one file. */
export interface CaseResults {
  readonly at: string;
  /** Of the sources; null outside a repository. `+` when the service or the bench was changed since. */
  readonly commit: string | null;
  readonly machine: Machine;
  /** How long the case took. */
  readonly seconds: number;
  /** Why it has no figures. */
  readonly failure: string | null;
  readonly figures: readonly Figure[];
}

interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly system: string;
  readonly node: string;
}

export const resultsDir = path.join(import.meta.dirname, 'results');

/** What docs/performance.md is written from. */
export const publishedFile = path.join(resultsDir, 'published.json');

export function describeMachine(): Machine {
  const cpus = os.cpus();
  return {
    cpu: cpus[0]?.model.trim() ?? '',
    cores: cpus.length,
    system: `${process.platform} ${process.arch}`,
    node: process.version.slice(1),
  };
}

export function findCommit(): string | null {
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  try {
    const sources = ['../src', '../package-lock.json', '.', ':!./results'];
    const isClean = git('status', '--porcelain', '--untracked-files=no', '--', ...sources) === '';
    return git('rev-parse', '--short=12', 'HEAD') + (isClean ? '' : '+');
  } catch {
    return null;
  }
}

export function readResults(file: string): Results {
  return JSON.parse(readFileSync(file, 'utf8')) as Results;
}

export function writeResults(file: string, { cases }: Results): void {
  const told = Object.entries(cases).map(([name, found]) => [
    name,
    { ...found, figures: found.figures.map(withSummary) },
  ]);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ cases: Object.fromEntries(told) }, null, 2)}\n`);
}

/** Puts these cases in place of those in the file of the docs. One that failed leaves what is there. */
export function publish(found: Results['cases']): Results {
  const was = existsSync(publishedFile) ? readResults(publishedFile).cases : {};
  const whole = Object.entries(found).filter(([, { failure }]) => failure === null);
  writeResults(publishedFile, { cases: { ...was, ...Object.fromEntries(whole) } });
  return readResults(publishedFile);
}

function withSummary({ name, measure, samples, target, note }: Figure): object {
  const kept = samples.map(shortened);
  const summary = { median: median(kept), least: least(kept), greatest: greatest(kept) };
  const met = isMet({ name, measure, samples: kept, target, note });
  return { name, measure, ...summary, target, met, note, samples: kept };
}

/** Four digits are more than any measurement here has. */
function shortened(value: number): number {
  return Number(value.toPrecision(4));
}
