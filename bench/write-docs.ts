/** Writes a results file to docs/performance.md: tables between two comments, and a chart beside the page. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cases } from './cases.ts';
import { type Section, toChart } from './chart.ts';
import { type Figure, isMet, spread, targetText } from './figure.ts';
import type { CaseResults, Results } from './results-file.ts';

const docs = path.join(import.meta.dirname, '../docs');
export const performancePage = path.join(docs, 'performance.md');
export const performanceChart = path.join(docs, 'performance.svg');

const begin = '<!-- figures: written by the bench -->';
const end = '<!-- end of the figures -->';

export function writeDocs(results: Results): void {
  writeFileSync(performancePage, withFigures(readFileSync(performancePage, 'utf8'), results));
  writeFileSync(performanceChart, toChart(toSections(results)));
  console.log(`written: ${[performancePage, performanceChart].map(relative).join(', ')}`);
}

const relative = (file: string) => path.relative(process.cwd(), file);

/** The figures that have a target, in the order of the cases. */
export function toSections({ cases: found }: Results): readonly Section[] {
  return Object.entries(cases).flatMap(([name, { title }]) => {
    const figures = found[name]?.figures.filter(({ target }) => target !== null) ?? [];
    return figures.length === 0 ? [] : [{ title, figures }];
  });
}

/** The page with its figures replaced. Throws when the markers for them are missing. */
export function withFigures(page: string, results: Results): string {
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from === -1 || to < from) throw new Error('the page lacks the markers for figures');
  const text = [origins(Object.values(results.cases)), ...toSections(results).map(toTable)];
  return `${page.slice(0, from + begin.length)}\n${text.join('\n\n')}\n${page.slice(to)}`;
}

function toTable({ title, figures }: Section): string {
  const rows = figures.map(
    (each) =>
      `| ${each.name} | ${spread(each.samples)} | ${each.measure} | ${targetText(each.target)} | ${verdictOf(each)} |`,
  );
  return [
    `### ${title}`,
    '',
    '| | Median (least to greatest) | | Target | |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function verdictOf(given: Figure): string {
  const met = isMet(given);
  if (met === null) return given.note ?? 'not measured';
  return met ? 'met' : '**not met**';
}

/** Where the figures were measured; cases may come from several runs. */
function origins(all: readonly CaseResults[]): string {
  const machines = new Set(
    all.map(({ machine: m }) => `${m.cores} cores of ${m.cpu}, ${m.system}, Node ${m.node}`),
  );
  const days = [...new Set(all.map(({ at }) => at.slice(0, 10)))].sort();
  const commits = new Set(all.map(({ commit }) => commit ?? 'without a commit'));
  const many = commits.size > 1 ? 'commits' : 'commit';
  return `Measured on ${[...machines].join(' and on ')}; ${days.join(', ')}; ${many} ${[...commits].join(', ')}.`;
}
