/** Pieces of hostile text that the families put into bodies, headers, paths and documents. */
import fc from 'fast-check';

/** Names that every JavaScript object has, and some that code may look for. */
const inheritedNames = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'toJSON',
  'then',
  '__defineGetter__',
  '__typename',
] as const;

export const inheritedName = fc.constantFrom(...inheritedNames);

/** As JSON would have them inside quotes, valid or not. */
const brokenStrings = [
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\u0000"',
  '"\\u00"',
  '"\\x41"',
  '"a\nb"',
  '"\u0000"',
  '"\u007f"',
  "'single'",
  '"unclosed',
  '"\\',
  '"\ufeff"',
  '"\u2028\u2029"',
  '"\u202e"',
] as const;

const brokenNumbers = [
  '1e999',
  '-1e999',
  '-0',
  '-0.0',
  '0e0',
  '1e-999',
  '01',
  '+1',
  '.5',
  '5.',
  '0x10',
  '1_000',
  'NaN',
  'Infinity',
  '-Infinity',
  '9007199254740993',
  '-9223372036854775809',
  '18446744073709551616',
  '2147483648',
  '1.0',
  '1e2',
  '0.1e-400',
  '9'.repeat(400),
  '1'.repeat(20_000),
  `0.${'1'.repeat(20_000)}`,
] as const;

const brokenValues = [
  'undefined',
  'null',
  'true',
  'false',
  'True',
  '',
  ' ',
  '[]',
  '{}',
  '[,]',
  '{,}',
  '{"a"}',
  '{a:1}',
  '{"a":1,}',
  '[1,]',
  '/* */ 1',
  '1 // x',
  '[[[]]]',
  '{"":""}',
  '{"toJSON":"x"}',
  '{"then":"x"}',
] as const;

/** One value of a JSON text; about half of them are no JSON. */
export const jsonFragment: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.json({ maxDepth: 4 }) },
  {
    weight: 2,
    arbitrary: fc.string({ unit: 'binary', maxLength: 20 }).map((t) => JSON.stringify(t)),
  },
  fc.constantFrom(...brokenStrings),
  fc.constantFrom(...brokenNumbers),
  fc.constantFrom(...brokenValues),
  fc.tuple(inheritedName, fc.json({ maxDepth: 2 })).map(([name, value]) => `{"${name}":${value}}`),
);

/** Nested once more than is accepted, and far deeper than any stack. */
export const deepJson: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom(63, 64, 65, 1000, 100_000), fc.constantFrom('[', '{"a":', '[{"a":'))
  .map(([depth, open]) => {
    const close = open === '[' ? ']' : open === '{"a":' ? '}' : '}]';
    return `${open.repeat(depth)}1${close.repeat(depth)}`;
  });

/** Many of something, below the size that a body may have. */
export const wideJson: fc.Arbitrary<string> = fc.constantFrom(
  `[${'1,'.repeat(100_000)}1]`,
  `[${'[],'.repeat(100_000)}[]]`,
  `{${Array.from({ length: 20_000 }, (_, at) => `"k${at}":${at}`).join(',')}}`,
  `{${'"same":1,'.repeat(50_000)}"same":2}`,
  `"${'x'.repeat(900_000)}"`,
  `"${'\\u0041'.repeat(150_000)}"`,
  `[${'"",'.repeat(100_000)}""]`,
  '1'.repeat(900_000),
  `[${`${'9'.repeat(1000)},`.repeat(900)}1]`,
);

/** Bytes that are no UTF-8, or UTF-8 of what Unicode has no place for. */
const brokenUtf8 = [
  'ff',
  'fe',
  'c0af',
  'c080',
  'e28028',
  'eda080',
  'f8888080',
  'f4908080',
  '80',
  'c3',
];

/** What may be done to the bytes of a body on its way. */
export const damage: fc.Arbitrary<(body: Buffer) => Buffer> = fc.oneof(
  { weight: 6, arbitrary: fc.constant((body: Buffer) => body) },
  fc.nat({ max: 1000 }).map((at) => (body: Buffer) => body.subarray(0, (body.length * at) / 1000)),
  fc
    .constantFrom('}', ']', 'x', '\u0000', '{"a":1}', '\n\n', '"', ' \ufeff')
    .map((junk) => (body: Buffer) => Buffer.concat([body, Buffer.from(junk)])),
  fc
    .constantFrom('efbbbf', 'fffe', 'feff', '0000feff', '1f8b0800')
    .map((mark) => (body: Buffer) => Buffer.concat([Buffer.from(mark, 'hex'), body])),
  fc
    .tuple(fc.constantFrom(...brokenUtf8), fc.nat({ max: 1000 }))
    .map(([hex, part]) => (body: Buffer) => {
      const at = Math.floor((body.length * part) / 1000);
      return Buffer.concat([body.subarray(0, at), Buffer.from(hex, 'hex'), body.subarray(at)]);
    }),
  fc
    .constantFrom('utf16le', 'latin1')
    .map(
      (encoding) => (body: Buffer) =>
        Buffer.from(body.toString('utf8'), encoding as BufferEncoding),
    ),
);

/** Members as they are written, so that one may be there twice or have a name that no object literal can have. */
export function objectText(members: readonly (readonly [name: string, text: string])[]): string {
  return `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
}
