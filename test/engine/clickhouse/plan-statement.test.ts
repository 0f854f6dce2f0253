import { describe, expect, it } from 'vitest';
import { numberColumns } from '../../../src/engine/clickhouse/query/numbered-columns.ts';
import {
  isOutdated,
  planStatement,
  resultColumns,
} from '../../../src/engine/clickhouse/query/plan-statement.ts';

const column = (type: string, name = 'v') => ({ name, type });

describe('planStatement', () => {
  it('makes a subquery of the text, on lines of its own', () => {
    expect(planStatement('SELECT 1 -- x', [column('UInt8')]).text).toBe(
      'SELECT * FROM (\nSELECT 1 -- x\n)',
    );
  });

  it('sends a text as it is whose rows only the limit of the run can cut', () => {
    const text = 'SELECT id FROM t WHERE id = {id:UInt64} ORDER BY id';
    expect(planStatement(text, [column('UInt64')]).text).toBe(text);
  });

  it.each([
    'SELECT 1 Limit 5',
    'SELECT 1 UNION ALL SELECT 2',
    'SELECT 1 ORDER BY 1 FETCH FIRST 1 ROW WITH TIES',
    'SELECT TOP 5 1',
    'SELECT 1 INTERSECT SELECT 1',
    'SELECT 1 EXCEPT SELECT 2',
    'SELECT count() GROUP BY 1 WITH TOTALS',
    'SELECT 1 AS a ORDER BY a WITH FILL',
    'SELECT 1 /* the end */',
    'SELECT 1 # the end',
  ])('makes a subquery of %s', (text) => {
    expect(planStatement(text, [column('UInt8')]).text).toBe(`SELECT * FROM (\n${text}\n)`);
  });

  it('converts wide integers by position and leaves the other columns', () => {
    const plan = planStatement('SELECT …', [column('UInt64', 'a'), column('Int128', 'a')]);
    expect(plan.text).toBe('SELECT c_0, CAST(c_1 AS String) FROM (\nSELECT …\n) AS c_t(c_0, c_1)');
    expect(resultColumns(plan, [column('UInt64', 'c0'), column('String', 'c1')])).toEqual([
      { name: 'a', type: 'UInt64' },
      { name: 'a', type: 'Int128' },
    ]);
  });

  it('gives numbers to columns that may have one name, where it makes a subquery', () => {
    const two = [column('UInt8', 'a'), column('UInt8', 'a')];
    expect(planStatement('SELECT a, a FROM t', two).text).toBe('SELECT a, a FROM t');
    expect(planStatement('SELECT a, a FROM t LIMIT 1', two).text).toBe(
      'SELECT c_0, c_1 FROM (\nSELECT a, a FROM t LIMIT 1\n) AS c_t(c_0, c_1)',
    );
    const unnamed = [column('UInt8', 'a'), column('UInt8', 'plus(a, {x})')];
    expect(planStatement('SELECT a, a + {x:UInt8} FROM t LIMIT 1', unnamed).isConverted).toBe(true);
  });

  it('calls columns as nothing in the text and no column is called', () => {
    const text = 'SELECT 1 AS `c_0`, 2 AS c__1, * FROM c_t';
    const { from } = numberColumns(text, [column('Int8', 'c_0'), column('Int8', 'c___1')]);
    expect(from).toBe(`(\n${text}\n) AS c____t(c____0, c____1)`);
  });

  it('leaves names alone where INTERPOLATE looks for them', () => {
    const { from } = numberColumns('SELECT … INTERPOLATE (a)', [column('Int8')]);
    expect(from).toBe('(SELECT * FROM (\nSELECT … INTERPOLATE (a)\n)) AS c_t(c_0)');
  });

  it.each([
    ['UInt256', 'String'],
    ['Nullable(Int128)', 'Nullable(String)'],
    ['LowCardinality(Nullable(Int128))', 'LowCardinality(Nullable(String))'],
    ['Array(Array(Int256))', 'Array(Array(String))'],
    ['Map(Int128, Array(Int128))', 'Map(Int128, Array(String))'],
    ['Tuple(`a b` Int128, c UInt8)', 'Tuple(`a b` String, c UInt8)'],
    ['Nested(a Int128, b String)', 'Array(Tuple(a String, b String))'],
    ['Array(Variant(Int128, UInt8))', 'Array(Nullable(String))'],
    ['SimpleAggregateFunction(sum, UInt128)', 'String'],
  ])('writes %s as %s', (type, written) => {
    expect(planStatement('SELECT 1', [column(type)]).text).toContain(
      `SELECT CAST(c_0 AS ${written}) FROM`,
    );
  });

  it.each(['UInt64', 'Map(Int128, UInt8)', "Enum8('Int128' = 1)"])('leaves %s', (type) => {
    expect(planStatement('SELECT 1', [column(type)]).isConverted).toBe(false);
  });
});

describe('a response', () => {
  it('gives the names, but for expressions named after a parameter', () => {
    const plan = planStatement('…', [column('String', 'concat({x}, s)'), column('Int8', 'n')]);
    expect(resultColumns(plan, [column('String', "concat('a', s)"), column('Int16', 'm')])).toEqual(
      [
        { name: 'concat({x}, s)', type: 'String' },
        { name: 'm', type: 'Int16' },
      ],
    );
  });

  it('shows when the plan is outdated', () => {
    const plan = planStatement('…', [column('Int8')]);
    expect(isOutdated(plan, [column('Int64')])).toBe(false);
    expect(isOutdated(plan, [column('Array(Int128)')])).toBe(true);
    expect(isOutdated(plan, [column('AggregateFunction(sum, Int8)')])).toBe(true);
    expect(isOutdated(plan, [column('SimpleAggregateFunction(sum, Int8)')])).toBe(false);
    expect(isOutdated(plan, [column('Int8'), column('Int8')])).toBe(true);
  });
});
