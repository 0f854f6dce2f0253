/** The statements of docs/topologies.md that could not be run here are at least statements to the engine's own parser. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, inject, it } from 'vitest';

const page = readFileSync(path.join(import.meta.dirname, '../../docs/topologies.md'), 'utf8');
const statements = [...page.matchAll(/^```sql\n(.*?)^```/gms)].flatMap(([, block = '']) =>
  block.split(/;.*$/m).flatMap((text) => (text.trim() === '' ? [] : [text.trim()])),
);

async function parse(statement: string): Promise<string> {
  const url = new URL(inject('engine').clickhouseUrl);
  url.searchParams.set('param_text', statement);
  const headers = { 'x-clickhouse-user': url.username, 'x-clickhouse-key': url.password };
  url.username = '';
  url.password = '';
  const body = 'SELECT formatQuerySingleLine({text:String})';
  const response = await fetch(url, { method: 'POST', body, headers });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text.trim();
}

it('has statements', () => {
  expect(statements.length).toBeGreaterThanOrEqual(10);
});

it.each(statements)('%s', async (statement) => {
  expect(await parse(statement)).toMatch(/^(?:CREATE|DROP|GRANT|INSERT|SYSTEM) /);
});

it('refuses one that is none', async () => {
  await expect(parse('CREATE TABEL t (n UInt8) ENGINE = Memory')).rejects.toThrow('Syntax error');
});
