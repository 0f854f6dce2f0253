/** What the console's GraphQL page makes of documents, answers and addresses. */
import { buildSchema, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { parseExact } from '../../src/console/api/exact-json.ts';
import { exampleOf, usualField } from '../../src/console/graph/example-document.ts';
import { readDraft, writeDraft } from '../../src/console/graph/graph-address.ts';
import { orderOf } from '../../src/console/graph/graph-order.ts';
import { tablesOf } from '../../src/console/graph/graph-tables.ts';
import { indentJson } from '../../src/console/graph/indent-json.ts';
import { checkDraft } from '../../src/console/graph/use-graph-check.ts';
import {
  fromOrderBy,
  isOrderable,
  pressedKeys,
  toOrderBy,
} from '../../src/console/run/grid-order.ts';

describe('an answer', () => {
  it('is read without losing a digit, and written in lines as it came', () => {
    const text =
      '{"a":18446744073709551615,"b":[1.50,-2,{}],"c":"12345678901234567890 \\" {","d":[],"e":{"f":null}}';
    expect(parseExact(text)).toEqual({
      a: '18446744073709551615',
      b: ['1.50', -2, {}],
      c: '12345678901234567890 " {',
      d: [],
      e: { f: null },
    });
    expect(indentJson(text).join('\n')).toBe(
      [
        '{',
        '  "a": 18446744073709551615,',
        '  "b": [',
        '    1.50,',
        '    -2,',
        '    {}',
        '  ],',
        '  "c": "12345678901234567890 \\" {",',
        '  "d": [],',
        '  "e": {',
        '    "f": null',
        '  }',
        '}',
      ].join('\n'),
    );
  });
});

const schema = buildSchema(`
  scalar BigInt
  scalar JSON
  type Query { sales(city: String!, day: String = "1", orderBy: [SalesOrder!], run: RunOptions): SalesRun  all: SalesRun  people(first: Int): People  raw: Raw }
  input RunOptions { limit: Int cursor: String }
  input SalesOrder @oneOf { asc: SalesOrderColumn desc: SalesOrderColumn }
  enum SalesOrderColumn { n ratio }
  type SalesRun { rows: [SalesRow!]! hasMore: Boolean! }
  type SalesRow { n: BigInt! ratio: Float place: Place tags: [String!]! }
  type Place { lat: Float name: String }
  type People { edges: [Edge!]! pageInfo: PageInfo! }
  type Edge { node: Person! }
  type Person { id: ID! name: String }
  type PageInfo { hasNextPage: Boolean! }
  type Raw { results: JSON! types: [[String!]!]! hasMore: Boolean! }
`);

const tables = (text: string, data: unknown) =>
  tablesOf({ schema, document: parse(text), operation: '' }, data);

describe('the tables of an answer', () => {
  it('have the names of the document and the types of the schema', () => {
    const text = `{ a: sales(city: "x") { rows { ...Row more: tags @skip(if: true) } hasMore } }
      fragment Row on SalesRow { big: n ratio place { lat } tags }`;
    const row = { big: '18446744073709551615', ratio: '1.50', place: { lat: 2 }, tags: ['x'] };
    const data = { a: { rows: [row, { ...row, place: null, ratio: null }], hasMore: true } };
    expect(tables(text, data)).toEqual([
      {
        title: 'a › rows',
        hasMore: true,
        path: ['a', 'rows'],
        fields: ['n', 'ratio', null, 'tags'],
        columns: [
          { name: 'big', type: 'BigInt!' },
          { name: 'ratio', type: 'Float' },
          { name: 'place.lat', type: 'Float' },
          { name: 'tags', type: '[String!]!' },
        ],
        rows: [
          ['18446744073709551615', 1.5, 2, ['x']],
          ['18446744073709551615', null, null, ['x']],
        ],
      },
    ]);
  });

  it('are each list of the document: pages of connections, and rows with types beside them', () => {
    const text =
      '{ all { rows { n } } people { edges { node { id name } } pageInfo { hasNextPage } } raw { results types hasMore } }';
    const data = {
      all: null,
      people: { edges: [{ node: { id: 'a', name: null } }], pageInfo: { hasNextPage: true } },
      raw: {
        results: [[1, 'x']],
        types: [
          ['n', 'UInt8'],
          ['n', 'String'],
        ],
        hasMore: false,
      },
    };
    expect(tables(text, data)).toEqual([
      {
        title: 'people › edges',
        path: ['people', 'edges'],
        fields: [null, null],
        hasMore: true,
        columns: [
          { name: 'node.id', type: 'ID!' },
          { name: 'node.name', type: 'String' },
        ],
        rows: [['a', null]],
      },
      {
        title: 'raw › results',
        path: ['raw', 'results'],
        fields: [],
        hasMore: false,
        columns: [
          { name: 'n', type: 'UInt8' },
          { name: 'n', type: 'String' },
        ],
        rows: [[1, 'x']],
      },
    ]);
  });
});

describe('a document', () => {
  it('to begin with runs a field, and asks for what that has to be given', () => {
    expect(usualField(schema)).toBe('all');
    const example = exampleOf(schema, { name: 'sales', projectId: '1' });
    expect(example).toEqual({
      document: `query Sales($city: String!) {
  sales(city: $city, run: {limit: 100}) {
    rows {
      n
      ratio
      tags
    }
    hasMore
  }
}
`,
      variables: '{\n  "city": ""\n}',
      operation: '',
    });
    expect(
      checkDraft(example ?? { document: '', variables: '', operation: '' }, schema),
    ).toMatchObject({
      faults: [],
      variableFaults: [],
      operations: ['Sales'],
    });
  });

  it('is told what is wrong with it and with its variables', () => {
    const check = (document: string, variables = '') =>
      checkDraft({ document, variables, operation: '' }, schema);
    expect(check('{ sales(').faults[0]).toContain('Syntax Error');
    expect(check('{ sale { rows { n } } }').faults[0]).toContain('Did you mean "sales"');
    const text = 'query ($city: String!) { sales(city: $city) { rows { n } } }';
    expect(check(text).variableFaults).toEqual([
      'Variable "$city" of required type "String!" was not provided.',
    ]);
    expect(check(text, '{"city": "x", "town": 1}').variableFaults).toEqual([
      'The operation has no variable $town.',
    ]);
    expect(check(text, '[1]').variableFaults[0]).toContain('a JSON object');
    expect(check(text, '{').variableFaults[0]).toContain('not valid JSON');
  });

  it('stands in the address with its variables, whatever characters they have', () => {
    const draft = { document: '{ a(b: "&=#%+ ü\n") }', variables: '{"x": "1+1"}', operation: 'A' };
    const hash = writeDraft(draft);
    expect(hash).toMatch(/^#[!-~]+$/);
    expect(readDraft(hash)).toEqual(draft);
    expect(writeDraft({ document: ' ', variables: '{}', operation: '' })).toBe('');
  });
});

describe('the order of all rows', () => {
  const columns = [
    { name: 'a', type: 'UInt8' },
    { name: '-x', type: 'String' },
    { name: 'm', type: 'Map(String, UInt8)' },
    { name: 'b', type: 'String' },
    { name: 'b', type: 'String' },
  ];

  it('is asked for as a run takes it, and read back', () => {
    const keys = [
      { column: 1, descending: false },
      { column: 0, descending: true },
    ];
    expect(toOrderBy(columns, keys)).toEqual(['+-x', '-a']);
    expect(fromOrderBy(columns, ['+-x', '-a', 'gone'])).toEqual(keys);
    expect(columns.map((_, at) => isOrderable(columns, at))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it('turns with each press: up, down, as it was', () => {
    const up = pressedKeys([], 0, false);
    const down = pressedKeys(up, 0, false);
    expect([up, down, pressedKeys(down, 0, false)]).toEqual([
      [{ column: 0, descending: false }],
      [{ column: 0, descending: true }],
      [],
    ]);
    const both = pressedKeys(up, 1, true);
    expect(pressedKeys(both, 0, true)).toEqual([
      { column: 0, descending: true },
      { column: 1, descending: false },
    ]);
    expect(pressedKeys(both, 3, false)).toEqual([{ column: 3, descending: false }]);
  });
});

describe('the order of the rows of a field', () => {
  const orderIn = (text: string, list = 0) => {
    const sent = { schema, document: parse(text), operation: '' };
    const answer = { sales: { rows: [{ n: 1, m: 2, ratio: 3, place: { lat: 1 } }] } };
    const table = tablesOf(sent, answer)[list];
    return table === undefined ? null : orderOf(sent, table, text);
  };
  const rows = '{ rows { m: n ratio place { lat } } }';

  it.each([
    [`{ sales(city: "a") ${rows} }`, ['-m'], `{ sales(orderBy: [{desc: n}], city: "a") ${rows} }`],
    [`{ sales ${rows} }`, ['m'], `{ sales(orderBy: [{asc: n}]) ${rows} }`],
    [
      `{ sales(city: "a", orderBy: {asc: n}) ${rows} }`,
      ['m', '-ratio'],
      `{ sales(city: "a", orderBy: [{asc: n}, {desc: ratio}]) ${rows} }`,
    ],
    [`{ sales(city: "a", orderBy: {asc: n}) ${rows} }`, [], `{ sales(city: "a") ${rows} }`],
    [`{ sales(orderBy: [], city: ")") ${rows} }`, [], `{ sales(city: ")") ${rows} }`],
    [`{ sales(orderBy: [{asc: n}] # )\n ) ${rows} }`, [], `{ sales ${rows} }`],
  ])('is written into %s', (text, orderBy, written) => {
    expect(orderIn(text)?.write(orderBy)).toBe(written);
  });

  it('is read from it, and is of the columns that the field sorts by', () => {
    const order = orderIn(`{ sales(city: "a", orderBy: [{desc: ratio}, {asc: n}]) ${rows} }`);
    expect(order?.orderBy).toEqual(['-ratio', '+m']);
    expect([0, 1, 2].map((at) => order?.takes(at))).toEqual([true, true, false]);
  });

  it.each([
    `query ($o: [SalesOrder!]) { sales(city: "a", orderBy: $o) ${rows} }`,
    `query ($n: SalesOrderColumn) { sales(city: "a", orderBy: [{asc: $n}]) ${rows} }`,
    `query ($r: RunOptions) { sales(city: "a", run: $r) ${rows} }`,
    `{ sales(city: "a", run: {cursor: "x"}) ${rows} }`,
    `{ sales(city: "a") ${rows} sales(city: "a") { hasMore } }`,
    `{ ...Q } fragment Q on Query { sales(city: "a") ${rows} }`,
    `{ sales: all ${rows} }`,
  ])('is not to be had of %s', (text) => {
    expect(orderIn(text)).toBeNull();
  });

  it('is unknown to be that of all rows where nobody asked whether there are more', () => {
    const hasMore = (text: string, answer: unknown) =>
      tablesOf({ schema, document: parse(text), operation: '' }, answer)[0]?.hasMore;
    expect(hasMore(`{ all ${rows} }`, { all: { rows: [] } })).toBeNull();
    expect(hasMore('{ all { rows { n } hasMore } }', { all: { rows: [], hasMore: false } })).toBe(
      false,
    );
    expect(hasMore('{ people { edges { node { id } } } }', { people: { edges: [] } })).toBeNull();
  });
});
