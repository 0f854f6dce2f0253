import { describe, expect, it } from 'vitest';
import { findPlaceholders, replacePlaceholders } from '../../src/sql/placeholders.ts';

const found = (sql: string) =>
  findPlaceholders(sql).map((p) => {
    if (p.kind === 'filters') return `filters ${p.column}`;
    return p.kind === 'typed' ? `${p.name}:${p.type}` : `variables.${p.name}`;
  });

describe('a placeholder', () => {
  it.each([
    ['SELECT {a:String}', ['a:String']],
    ['SELECT { a : Array(Nullable(UInt8)) }', ['a:Array(Nullable(UInt8))']],
    ["SELECT {a:DateTime64(3, 'UTC')}", ["a:DateTime64(3, 'UTC')"]],
    ['SELECT {variables.a} + { variables.b_2 }', ['variables.a', 'variables.b_2']],
    ['WHERE {filters} AND {filters.day}', ['filters timestamp', 'filters day']],
    ['SELECT {a:UInt8} + {a:UInt8}', ['a:UInt8', 'a:UInt8']],
    ["SELECT 'x', {a:String}, 'y'", ['a:String']],
  ])('stands in %s', (sql, names) => {
    expect(found(sql)).toEqual(names);
  });

  it.each([
    "SELECT '{a:String}'",
    "SELECT 'it''s {a:String}'",
    "SELECT 'it\\'s {a:String}'",
    'SELECT "{variables.a}"',
    'SELECT `{filters}`',
    'SELECT 1 -- {a:String}',
    'SELECT 1 # {a:String}',
    'SELECT 1 /* {a:String} */',
    'SELECT $$ {a:String} $$',
    'SELECT $tag$ {a:String} $$ $tag$',
    "SELECT 'never ends {a:String}",
    '/* never ends {a:String}',
    'SELECT {}',
    'SELECT {a}',
    'SELECT {1a:String}',
    'SELECT {variables.}',
    "SELECT map('a', 1)",
  ])('does not stand in %s', (sql) => {
    expect(found(sql)).toEqual([]);
  });

  it('stands behind a comment that has ended', () => {
    expect(found('SELECT 1 -- a\n, {b:String} /* c */ + {d:UInt8}')).toEqual([
      'b:String',
      'd:UInt8',
    ]);
  });

  it('is found in time linear in the text', () => {
    expect(found(`${'{a:'.repeat(50_000)}${"'".repeat(50_001)}`)).toEqual([]);
  });
});

describe('replacing placeholders', () => {
  it('changes them and nothing else', () => {
    const sql = "SELECT '{a:String}', {a:String}, {variables.b} -- {filters}";
    const replaced = replacePlaceholders(sql, findPlaceholders(sql), (p) => `<${p.kind}>`);
    expect(replaced).toBe("SELECT '{a:String}', <typed>, <variable> -- {filters}");
  });
});
