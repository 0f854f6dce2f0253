/** The figures of docs/performance.md are those of the results file that stands beside the bench, and no others. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cases } from '../../bench/cases.ts';
import { toChart } from '../../bench/chart.ts';
import { publishedFile, readResults } from '../../bench/results-file.ts';
import {
  performanceChart,
  performancePage,
  toSections,
  withFigures,
} from '../../bench/write-docs.ts';

const results = readResults(publishedFile);

describe('docs/performance.md', () => {
  it('has the figures of the published results', () => {
    const page = readFileSync(performancePage, 'utf8');
    expect(withFigures(page, results)).toBe(page);
  });

  it('has their chart', () => {
    expect(readFileSync(performanceChart, 'utf8')).toBe(toChart(toSections(results)));
  });

  it('has every case of the bench and none that is gone', () => {
    expect(Object.keys(results.cases).sort()).toEqual(Object.keys(cases).sort());
  });
});
