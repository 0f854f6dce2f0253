import { describe, expect, it } from 'vitest';
import {
  readSqlText,
  replaceSubstitutions,
} from '../../../src/engine/clickhouse/guard/parse/sql-text.ts';

describe('readSqlText', () => {
  it.each([
    ['SELECT 1', 'SELECT 1'],
    ['SELECT 1;', 'SELECT 1'],
    ['SELECT 1 ;; -- the end', 'SELECT 1 '],
    ["SELECT ';'", "SELECT ';'"],
    ["SELECT 'it''s;', `a;b`, \"c;d\"", "SELECT 'it''s;', `a;b`, \"c;d\""],
    ["SELECT '\\';'", "SELECT '\\';'"],
    ['SELECT $$a;b$$; /* x; */', 'SELECT $$a;b$$'],
    ['SELECT $tag$;$$;$tag$', 'SELECT $tag$;$$;$tag$'],
    ['SELECT 1 -- a; b\n, 2', 'SELECT 1 -- a; b\n, 2'],
    ['SELECT 1 # a; b', 'SELECT 1 # a; b'],
  ])('finds one statement in %s', (sql, statement) => {
    const text = readSqlText(sql);
    expect(text).toMatchObject({ statement, isEmpty: false, moreAt: null });
  });

  it.each(['', ' ', ';', '-- x', '/* x */;', '# x\n#! y'])('finds none in %j', (sql) => {
    expect(readSqlText(sql).isEmpty).toBe(true);
  });

  it.each([
    ['SELECT 1; SELECT 2', 10],
    ["SELECT 1;'x'", 9],
    ['SELECT 1; /* a */ x', 18],
  ])('finds more in %s', (sql, at) => {
    expect(readSqlText(sql).moreAt).toBe(at);
  });

  it('finds parameters outside quotes and comments only', () => {
    const sql =
      "SELECT {a:String}, '{b:String}', `{c:String}`, {'k': 1}, {d : Array(Enum8('}' = 1))} -- {e:String}\n, {f:UInt8}";
    expect(readSqlText(sql).substitutions.map((s) => [s.name, s.type])).toEqual([
      ['a', 'String'],
      ['d', "Array(Enum8('}' = 1))"],
      ['f', 'UInt8'],
    ]);
  });

  it('replaces parameters where they stand', () => {
    const text = readSqlText("SELECT {a:String} || '{a:String}' || {b:UInt8};");
    expect(replaceSubstitutions(text, (s, written) => `<${s.name} ${written}>`)).toBe(
      "SELECT <a {a:String}> || '{a:String}' || <b {b:UInt8}>",
    );
  });
});
