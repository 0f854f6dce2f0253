/** What is sent for the texts that are typed for variables, and how values are shown as texts. */
import { describe, expect, it } from 'vitest';
import { RawJson, toJson } from '../../src/console/api/exact-json.ts';
import { toTypedText, toVariableValue } from '../../src/console/run/variable-values.ts';

describe('a boolean', () => {
  it.each([
    ['true', true],
    ['True', true],
    ['1', true],
    ['false', false],
    ['False', false],
    [' 0', false],
    ['yes', 'yes'],
    ['TRUE', 'TRUE'],
    ['', ''],
  ])('that is typed as %j is sent as %j', (text, value) => {
    expect(toVariableValue('Bool', text)).toBe(value);
  });

  it('in a list is one too', () => {
    expect(toVariableValue('Array(Bool)', 'True\n1\nyes\nfalse')).toEqual([
      true,
      true,
      'yes',
      false,
    ]);
    expect(toVariableValue('Array(Bool)', toTypedText('Array(Bool)', [1, 0]))).toEqual([
      true,
      false,
    ]);
  });
});

describe('a value that is typed as JSON', () => {
  const digits = '9007199254740993';

  it.each([
    ['Map(String, UInt64)', `{"a": ${digits}}`, { a: digits }],
    ['Tuple(UInt64, String)', `[${digits}, "${digits} \\" 1"]`, [digits, `${digits} " 1`]],
    ['Map(String, Decimal(38, 2))', '{"a": 12345678901234567.10}', { a: '12345678901234567.10' }],
    ['Map(String, UInt8)', '{"a": 1}', { a: 1 }],
    ['Map(String, UInt8)', '{"a": 01}', '{"a": 01}'],
    ['Map(String, UInt8)', '{"a": 1', '{"a": 1'],
    ['Tuple(UInt8)', 'many', 'many'],
  ])('of %s as %s keeps its digits', (type, text, value) => {
    expect(toVariableValue(type, text)).toEqual(value);
  });

  it.each([
    `{"a":${digits},"b":[1.50,{"#c":"=${digits}"}],"__proto__":"#1","d":null,"e":{}}`,
    `{"a":1e400,"b":-0,"c":"\\u000042 \\" ${digits}","d":[]}`,
  ])('of JSON has every number as it is typed: %s', (text) => {
    const value = toVariableValue('JSON', text);
    expect(typeof value).toBe('object');
    expect(toVariableValue('Array(JSON)', `[${text}]`)).toEqual(new RawJson(`[${text}]`));
    expect(toJson({ value })).toBe(`{"value":${text}}`);
    expect(toTypedText('JSON', value)).toBe(text);
  });

  it('of JSON is one line, with the spaces of its texts', () => {
    const value = toVariableValue('JSON', `{"a":\n"two  spaces",\r\n"b": ${digits}}`);
    expect(toJson(value)).toBe(`{"a": "two  spaces", "b": ${digits}}`);
  });

  it('of JSON without such numbers is the value itself', () => {
    const text = '{"a": [1, "9007199254740993"], "b": null}';
    expect(toVariableValue('JSON', text)).toEqual({ a: [1, '9007199254740993'], b: null });
  });

  it('is written as JSON.stringify writes it', () => {
    const value = { a: [undefined, null, Number.NaN, 'é"'], b: undefined, c: { d: true, e: {} } };
    expect(toJson(value)).toBe(JSON.stringify(value));
  });
});

describe('a list', () => {
  it.each([
    ['Array(UInt8)', [1, 2], '1\n2'],
    ['Array(String)', ['a', ' b'], 'a\n b'],
    ['Array(UInt64)', ['9007199254740993'], '9007199254740993'],
    ['Array(Array(UInt8))', [[1, 2], [3]], '[[1,2],[3]]'],
    ['Array(Tuple(UInt8, String))', [[1, 'a\nb']], '[[1,"a\\nb"]]'],
    ['Array(Map(String, String))', [{ a: '1' }, {}], '[{"a":"1"},{}]'],
    ['Array(String)', ['a', '', 'b'], '["a","","b"]'],
    ['Array(String)', ['a\nb', 'c\r'], '["a\\nb","c\\r"]'],
    ['Array(String)', ['["a"]'], '["[\\"a\\"]"]'],
    ['Array(Nullable(String))', ['', null], '["",null]'],
    ['Array(Nullable(UInt8))', [1, null], '[1,null]'],
    ['Array(String)', [], ''],
    ['Array(String)', [' '], ' '],
    ['Array(Array(UInt8))', [], '[]'],
    ['Tuple(UInt8, Array(String))', [1, ['a', '']], '[1,["a",""]]'],
    ['Nested(a UInt8)', [[1], [2]], '[[1],[2]]'],
  ])('of %s: %j is shown as %j, and read as it was', (type, value, text) => {
    expect(toTypedText(type, value)).toBe(text);
    expect(toVariableValue(type, text)).toEqual(value);
  });

  it.each([
    ['Array(String)', '["a"', ['["a"']],
    ['Array(String)', '[a]\n[b]\n', ['[a]', '[b]']],
    ['Array(UInt64)', ' [1, 9007199254740993] ', [1, '9007199254740993']],
    ['Array(JSON)', '[]', []],
    ['Array(JSON)', '', []],
    ['Array(Array(UInt8))', '1\n2', '1\n2'],
    ['List', 'a\nb', ['a', 'b']],
  ])('of %s that is typed as %j is sent as %j', (type, text, value) => {
    expect(toVariableValue(type, text)).toEqual(value);
  });
});
