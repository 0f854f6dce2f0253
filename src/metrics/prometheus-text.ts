/** The Prometheus text format. */
import type { HistogramMetric, Labels, Metric } from './metric.ts';

export function toPrometheusText(metrics: readonly Metric[]): string {
  return metrics.map(writeMetric).join('');
}

/** Labels in the given order. */
export function labelText(labels: Labels): string {
  let text = '';
  for (const name in labels) {
    const value = labels[name] ?? '';
    const written = SPECIAL.test(value) ? value.replace(/[\\"\n]/g, escapeLabel) : value;
    text += text === '' ? `${name}="${written}"` : `,${name}="${written}"`;
  }
  return text;
}

const SPECIAL = /[\\"\n]/;

function escapeLabel(char: string): string {
  return char === '\n' ? '\\n' : `\\${char}`;
}

function writeMetric(metric: Metric): string {
  const { name, help, kind } = metric;
  return `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n${writeSeries(metric)}`;
}

function writeSeries(metric: Metric): string {
  if (metric.kind === 'histogram') return writeHistogram(metric);
  const line = ({ labels, value }: (typeof metric.series)[number]) =>
    `${metric.name}${braces(labelText(labels))} ${value}\n`;
  return metric.series.map(line).join('');
}

function writeHistogram({ name, bounds, series }: HistogramMetric): string {
  let text = '';
  for (const { labels, counts, sum } of series) {
    const written = labelText(labels);
    let total = 0;
    counts.forEach((count, at) => {
      total += count;
      text += `${name}_bucket${braces(written, `le="${bounds[at] ?? '+Inf'}"`)} ${total}\n`;
    });
    text += `${name}_sum${braces(written)} ${sum}\n${name}_count${braces(written)} ${total}\n`;
  }
  return text;
}

function braces(labels: string, more = ''): string {
  const all = [labels, more].filter((part) => part !== '').join(',');
  return all === '' ? '' : `{${all}}`;
}
