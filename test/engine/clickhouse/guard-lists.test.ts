/** Holds the guard's lists to the engine: whatever it can do has been judged, and every name of it. */
import { beforeAll, describe, expect, inject, it } from 'vitest';
import {
  allowedTableFunctions,
  takesFunctions,
  UNLISTED,
  whyNotCalled,
  whyNotRead,
} from '../../../src/engine/clickhouse/guard/rules/functions.ts';
import { remoteConnection } from '../../../src/engine/clickhouse/http/connection.ts';
import { adminRunner } from '../support/admin.ts';
import {
  harmlessCategories,
  judgedFunctions,
  onlySoundLikeMore,
  soundsLikeMore,
} from '../support/judged-functions.ts';

interface CatalogRow {
  readonly name: string;
  readonly aliasTo: string;
  readonly category: string;
  readonly takesFunction: boolean;
}

async function readRows(sql: string): Promise<readonly (readonly string[])[]> {
  const { clickhouseUrl, secret } = inject('engine');
  const text = await adminRunner(remoteConnection(clickhouseUrl, secret))(sql);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
}

describe('the functions of the engine', () => {
  let functions: readonly CatalogRow[];
  let tableFunctions: readonly string[];

  beforeAll(async () => {
    const rows = await readRows(
      'SELECT name, alias_to, categories, ifNull(higher_order, 0) FROM system.functions ORDER BY name',
    );
    functions = rows.map(([name = '', aliasTo = '', category = '', higher]) => ({
      name,
      aliasTo,
      category,
      takesFunction: higher === '1',
    }));
    const names = await readRows('SELECT name FROM system.table_functions');
    tableFunctions = names.map(([name = '']) => name);
  });

  const refused = (name: string) => whyNotCalled(name) !== null;

  it('are there in number', () => {
    expect(functions.length).toBeGreaterThan(1500);
    expect(tableFunctions.length).toBeGreaterThan(80);
  });

  it('are each refused, judged or of a harmless kind', () => {
    const unjudged = functions.filter(
      ({ name, aliasTo, category }) =>
        aliasTo === '' &&
        !refused(name) &&
        !judgedFunctions.has(name) &&
        !harmlessCategories.has(category),
    );
    expect(unjudged.map(({ name, category }) => `${name} (${category})`)).toEqual([]);
  });

  it('of a harmless kind that sound like more have been looked at', () => {
    const unseen = functions.filter(
      ({ name, aliasTo }) =>
        aliasTo === '' &&
        soundsLikeMore.test(name) &&
        !refused(name) &&
        !onlySoundLikeMore.has(name) &&
        !judgedFunctions.has(name),
    );
    expect(unseen.map(({ name }) => name)).toEqual([]);
  });

  it('are refused under their other names too', () => {
    const open = functions.filter(({ name, aliasTo }) => refused(aliasTo) && !refused(name));
    expect(open).toEqual([]);
  });

  it('that take another function by its name are known', () => {
    const taking = functions.filter(({ takesFunction }) => takesFunction);
    const isTaking = new Set(taking.map(({ name }) => name));
    const aliases = functions.filter(({ aliasTo }) => isTaking.has(aliasTo));
    const missing = [...taking, ...aliases].filter(
      ({ name }) => !takesFunctions.has(name.toLowerCase()),
    );
    expect(missing).toEqual([]);
  });

  it('that make tables each have a reason', () => {
    expect(tableFunctions.filter((name) => whyNotRead(name) === UNLISTED)).toEqual([]);
  });

  it('that are judged harmless are not refused, and exist', () => {
    const known = new Set(functions.map(({ name }) => name));
    const wrong = [...judgedFunctions].filter((name) => refused(name) || !known.has(name));
    expect(wrong).toEqual([]);
  });

  it('that make rows out of nothing are the only tables beside those of the project', () => {
    const lower = new Set(tableFunctions.map((name) => name.toLowerCase()));
    expect([...allowedTableFunctions.keys()].filter((name) => !lower.has(name))).toEqual([]);
  });
});
