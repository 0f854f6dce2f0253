/** The results file of a run. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Figure, greatest, isMet, least, median } from './figure.ts';

export interface Results {
  readonly cases: Readonly<Record<string, CaseResults>>;
}

/** Each has its own machine and time, so that one file can hold cases of several runs. */
export interface CaseResults {
  readonly at: string;
  /** Of the sources; null outside a repository. `+` when the service or the bench was changed since. */
  readonly commit: string | null;
  readonly machine: Machine;
  /** How long the case took. */
  readonly seconds: number;
  /** The reason why it has no figures. */
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

/** The source of the figures in docs/performance.md. */
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
  const written = Object.entries(cases).map(([name, found]) => [
    name,
    { ...found, figures: found.figures.map(withSummary) },
  ]);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ cases: Object.fromEntries(written) }, null, 2)}\n`);
}

/** Replaces these cases in the published file. Failed cases are not replaced. */
export function publish(found: Results['cases']): Results {
  const was = existsSync(publishedFile) ? readResults(publishedFile).cases : {};
  const whole = Object.entries(found).filter(([, { failure }]) => failure === null);
  writeResults(publishedFile, { cases: { ...was, ...Object.fromEntries(whole) } });
  return readResults(publishedFile);
}

function withSummary({ name, measure, samples, target, note }: Figure): object {
  const shortSamples = samples.map(shortened);
  const summary = {
    median: median(shortSamples),
    least: least(shortSamples),
    greatest: greatest(shortSamples),
  };
  const met = isMet({ name, measure, samples: shortSamples, target, note });
  return { name, measure, ...summary, target, met, note, samples: shortSamples };
}

/** Four digits are more than any measurement here is accurate to. */
function shortened(value: number): number {
  return Number(value.toPrecision(4));
}
