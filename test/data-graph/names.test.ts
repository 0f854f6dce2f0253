import { describe, expect, it } from 'vitest';
import {
  argumentNames,
  camelCase,
  columnNames,
  fieldName,
  nestedTypeName,
  refusalOfField,
} from '../../src/data-graph/names.ts';

describe('a name in camel case', () => {
  it.each([
    ['avg_delay', 'avgDelay'],
    ['Avg-Delay', 'avgDelay'],
    ['avg(delay)', 'avgDelay'],
    ['avgDelay', 'avgDelay'],
    ['ID', 'id'],
    ['URLPath', 'urlPath'],
    ['HTTP2Code', 'http2Code'],
    ['2xx', '_2xx'],
    ['_id', '_id'],
    ['_2x', '_2x'],
    ['__v', 'v'],
    ['__typename', 'typename'],
    ['count()', 'count'],
    ['Größe m²', 'groeM2'],
    ['cafe\u0301s', 'cafes'],
    ['日本', ''],
    ['_', ''],
    ['', ''],
    ['x'.repeat(5000), 'x'.repeat(128)],
  ])('%s is %s', (text, name) => {
    expect(camelCase(text)).toBe(name);
  });
});

describe('names of one version', () => {
  it.each([
    [
      ['avg_delay', 'avgDelay', 'avg-delay'],
      ['avgDelay_2', 'avgDelay', 'avgDelay_3'],
    ],
    [
      ['日本', 'a', '日'],
      ['column1', 'a', 'column3'],
    ],
    [
      ['日本', 'column1'],
      ['column1_2', 'column1'],
    ],
    [
      ['run', 'orderBy'],
      ['run', 'orderBy'],
    ],
    [
      ['count()', 'count'],
      ['count_2', 'count'],
    ],
  ])('columns %j are %j', (texts, names) => {
    expect(columnNames(texts)).toEqual(names);
  });

  it('leave run and orderBy to the arguments that every field has', () => {
    expect(argumentNames(['run', 'order_by', 'Run', 'limit'])).toEqual([
      'run_2',
      'orderBy_2',
      'run_3',
      'limit',
    ]);
  });
});

describe('the field of an endpoint', () => {
  it.each([
    ['airport_delays', [], 'airportDelays'],
    ['a-b', ['aB'], 'aB_2'],
    ['a_b', ['aB', 'aB_2'], 'aB_3'],
    ['sales_v2', [], 'salesV2'],
    ['SALES', [], 'sales'],
  ])('of %s beside %j is %s', (endpoint, taken, name) => {
    expect(fieldName(endpoint, (one) => (taken as string[]).includes(one))).toBe(name);
  });

  it.each(['a', 'salesV2', 'sales_2', 'sales_v2_x', 'a__b', 'x'.repeat(128)])(
    'may be called %s',
    (name) => {
      expect(refusalOfField(name)).toBeNull();
    },
  );

  it.each(['', 'Sales', '_sales', '__sales', '1a', 'a-b', 'ä', 'a b', 'a\n', 'x'.repeat(129)])(
    'may not be called %j: it is no name',
    (name) => {
      expect(refusalOfField(name)).toContain('lowercase letter');
    },
  );

  it.each(['sales_v2', 'a_v0', 'a__v12'])('may not be called %s: that is a version', (name) => {
    expect(refusalOfField(name)).toContain('_v');
  });
});

describe('a type of its own', () => {
  it.each([
    ['location', 'AirportRow_location'],
    ['bRun', 'AirportRow_bRunType'],
    ['bRunType', 'AirportRow_bRunTypeType'],
    ['v2Row', 'AirportRow_v2RowType'],
    ['b_Order_c', 'AirportRow_b_OrderType_c'],
    ['Runner', 'AirportRow_Runner'],
  ])('of %s is %s, which no other field has', (part, name) => {
    expect(nestedTypeName('AirportRow', part)).toBe(name);
  });
});
