/** Finds the row of a text file that breaks the engine's column inference, since the engine does not name it. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { parsePlainJson } from '../../../lib/plain-json.ts';
import type { LoadFormat } from '../../table-loader.ts';
import { unnamedMember } from './row-fault.ts';
import { csvLines } from './row-lines.ts';

/** A sentence about the line that does not quote it; null when none is found. */
export async function findBadRow(
  path: string,
  { format, delimiter }: { readonly format: LoadFormat; readonly delimiter: string },
): Promise<string | null> {
  if (format === 'CSVWithNames') return findFaulty(path, delimiter);
  return format === 'JSONEachRow' ? findNoObject(path) : null;
}

async function findFaulty(path: string, delimiter: string): Promise<string | null> {
  const lines = csvLines(delimiter);
  for await (const chunk of createReadStream(path)) lines.take(chunk as Buffer);
  const fault = lines.fault();
  return fault === null ? null : `line ${lines.lineOf(fault.row) ?? '?'}: ${fault.what}`;
}

async function findNoObject(path: string): Promise<string | null> {
  for await (const { number, text } of jsonLinesOf(path)) {
    const value = parsePlainJson(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return `line ${number}: it is not a JSON object`;
    if (hasUnnamed(value)) return `line ${number}: ${unnamedMember}`;
  }
  return null;
}

/** The lines with text, unless the first of them shows that the file is not one of objects by line. */
async function* jsonLinesOf(
  path: string,
): AsyncGenerator<{ readonly number: number; readonly text: string }> {
  const lines = createInterface({
    input: createReadStream(path),
    crlfDelay: Number.POSITIVE_INFINITY,
  });
  let [number, hasObjects] = [0, false];
  for await (const line of lines) {
    number += 1;
    const text = number === 1 ? line.replace(/^\uFEFF/, '').trim() : line.trim();
    if (text === '') continue;
    if (!hasObjects && !text.startsWith('{')) return;
    hasObjects = true;
    yield { number, text };
  }
}

function hasUnnamed(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, '') || Object.values(value).some(hasUnnamed);
}
