import { type Figure, spread, targetText, verdict } from './figure.ts';

/** Prints a table, followed by the notes of single figures. */
export function printFigures(figures: readonly Figure[]): void {
  const rows = figures.map((figure) => [
    figure.name,
    spread(figure.samples),
    figure.measure,
    targetText(figure.target),
    verdict(figure),
  ]);
  const widths = [0, 1, 2, 3].map((at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  for (const row of rows) {
    const cells = row.map((cell, at) => cell.padEnd(widths[at] ?? 0));
    console.log(`  ${cells.join('  ').trimEnd()}`);
  }
  const notes = figures.filter(({ note }) => note !== null);
  for (const { name, note } of notes) console.log(`    ${name}: ${note}`);
}
