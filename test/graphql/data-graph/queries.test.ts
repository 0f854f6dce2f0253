/** What documents can ask of a project's graph, through the whole service. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../../support/test-app.ts';
import {
  type AskGraph,
  attrsOf,
  change,
  codesOf,
  fieldOf,
  messagesOf,
  openGraph,
  save,
} from './support/graph.ts';

let test: TestApp;
let ask: AskGraph;

const delays = `SELECT day, late, delay AS avg_delay, place, tags, big FROM flights
  WHERE origin = {origin:String} AND late >= {min_late:UInt64} ORDER BY late`;

beforeAll(async () => {
  test = await openTestApp();
  ask = openGraph(test);
  await test.sql(`CREATE TABLE flights (day Date, origin String, late UInt64, delay Float64, big Int128,
    place Tuple(lat Float64, \`airport name\` String), tags Array(Tuple(k String, v Nullable(UInt8))))
    ENGINE = MergeTree ORDER BY late`);
  await test.sql(`INSERT INTO flights SELECT toDate('2001-01-01') + number, if(number % 2, 'SFO', 'ORD'), number,
    if(number = 3, nan, number / 8), number, (number, 'n' || number), [('a', number), ('b', NULL)] FROM numbers(20)`);
  const variables = {
    origin: { value: 'ORD', description: 'Airport of departure.' },
    min_late: { value: 0 },
  };
  await save(test, {
    name: 'airport_delays',
    description: 'Delays of an airport.',
    query: { kind: 'SQLQuery', query: delays, variables },
    cache_age_seconds: 60,
  });
  await save(test, {
    name: 'exact',
    query: `SELECT {whole:Int64} AS whole, {wide:UInt256} AS wide, {part:Decimal(38, 20)} AS part,
      {list:Array(UInt64)} AS list, {kind:Enum8('a' = 1, 'b-c' = 2)} AS kind, {mode:Enum8('fast' = 1, 'slow' = 2)} AS mode,
      {maybe:Nullable(Int32)} AS maybe`,
  });
  await save(test, {
    name: 'kept',
    query: {
      kind: 'HogQLQuery',
      query:
        "SELECT toFloat64({variables.n}) AS n, coalesce({variables.s}, 'none') AS s, {variables.n} AS as_given",
      variables: { n: { type: 'Number', value: 5 }, s: { type: 'String', value: 'x' } },
    },
  });
  await save(test, { name: 'plain', query: 'SELECT 1 AS run, 2 AS orderBy, 3 AS `日本`' });
  await save(test, {
    name: 'reserved',
    query: 'SELECT {run:UInt8} AS run, {orderBy:UInt8} AS order_by, {limit:UInt8} AS `limit`',
  });
  await save(test, {
    name: 'filtered',
    query: 'SELECT late FROM flights WHERE {filters} ORDER BY late',
  });
});
afterAll(() => test.close());

describe('a run', () => {
  it('answers typed rows with what is told beside them', async () => {
    const response = await ask(
      `{ airportDelays(origin: "SFO", minLate: 3, run: {limit: 2, offset: 1}) {
        rows { day late avgDelay } hasMore isCached lastRefresh servedFrom
        run { version executionId limit offset nextCursor cacheTargetAge isStale staleReason inlineReason
          materializedAt cacheKey query } } }`,
    );
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const run = fieldOf(response, 'airportDelays');
    expect(run).toMatchObject({
      rows: [
        { day: '2001-01-06', late: 5, avgDelay: 0.625 },
        { day: '2001-01-08', late: 7, avgDelay: 0.875 },
      ],
      hasMore: true,
      isCached: false,
      servedFrom: 'inline',
      run: {
        version: 1,
        limit: 2,
        offset: 1,
        nextCursor: null,
        isStale: false,
        staleReason: null,
        inlineReason: null,
        materializedAt: null,
        cacheKey: null,
        query: null,
      },
    });
    expect(Object.keys(run)).toEqual([
      'rows',
      'hasMore',
      'isCached',
      'lastRefresh',
      'servedFrom',
      'run',
    ]);
    const rest = await test.rest('POST', '/endpoints/airport_delays/run', {
      body: { variables: { origin: 'SFO', min_late: 3 }, limit: 2, offset: 1 },
    });
    expect(rest.body).toMatchObject({
      is_cached: true,
      execution_id: run.run.executionId,
      last_refresh: run.lastRefresh,
      cache_target_age: run.run.cacheTargetAge,
    });
  });

  it('shares its result with REST and with runEndpoint', async () => {
    const variables = { origin: 'ORD', min_late: 17 };
    const rest = await test.rest('POST', '/endpoints/airport_delays/run', { body: { variables } });
    expect(rest.body.is_cached).toBe(false);
    const typed = await ask('{ airportDelays(minLate: 17) { rows { late } isCached } }');
    expect(fieldOf(typed, 'airportDelays')).toEqual({ rows: [{ late: 18 }], isCached: true });
    const other = await test.graphql(
      'query ($v: JSON) { runEndpoint(projectId: "@current", name: "airport_delays", input: {variables: $v}) { isCached } }',
      { v: variables },
    );
    expect(other.body.data).toEqual({ runEndpoint: { isCached: true } });
  });

  it('selects inside named tuples and lists of them, and of nothing else than asked', async () => {
    const response = await ask(`{ airportDelays(minLate: 2, run: {limit: 1}) {
      rows { __typename where: place { __typename airportName } tags { v k } big } } }`);
    expect(response.text).toContain(
      '"rows":[{"__typename":"AirportDelaysRow","where":{"__typename":"AirportDelaysRow_place","airportName":"n2"},"tags":[{"v":2,"k":"a"},{"v":null,"k":"b"}],"big":"2"}]',
    );
  });

  it('has members and takes values with the texts that the engine reads in a type', async () => {
    const kinds = `{kind:Enum8('a""b' = 1, 'c\`\`d' = 2, '\\d+' = 3, '\\x41 z' = 4, 'e\\vf' = 5)}`;
    const tuple = `CAST((1, 2), 'Tuple(\`it''s\` UInt8, \`e""f\` UInt8)')`;
    await save(test, { name: 'quotes', query: `SELECT ${kinds} AS kind, ${tuple} AS t` });
    const read = 'query ($kind: String!) { quotes(kind: $kind) { rows { kind t { itS eF } } } }';
    for (const kind of ['a""b', 'c``d', '\\d+', 'A z', 'e\vf'])
      expect(fieldOf(await ask(read, { kind }), 'quotes').rows).toEqual([
        { kind, t: { itS: 1, eF: 2 } },
      ]);
    await test.rest('DELETE', '/endpoints/quotes');
  });

  it('writes NaN as null', async () => {
    const response = await ask(
      '{ airportDelays(origin: "SFO", minLate: 3, run: {limit: 1}) { rows { avgDelay } } }',
    );
    expect(fieldOf(response, 'airportDelays').rows).toEqual([{ avgDelay: null }]);
  });

  it('sorts by columns and pages by cursors', async () => {
    const page =
      'query ($c: String) { airportDelays(orderBy: [{desc: day}], run: {limit: 6, cursor: $c}) { rows { late } hasMore run { nextCursor } } }';
    const seen: unknown[] = [];
    let cursor: unknown = '';
    while (cursor !== null) {
      const { rows, run } = fieldOf(await ask(page, { c: cursor }), 'airportDelays');
      seen.push(...rows.map(({ late }) => late));
      cursor = run.nextCursor;
    }
    expect(seen).toEqual([18, 16, 14, 12, 10, 8, 6, 4, 2, 0]);
    const both = await ask('{ airportDelays(orderBy: [{asc: day, desc: late}]) { hasMore } }');
    expect(codesOf(both)).toEqual(['GRAPHQL_VALIDATION_FAILED']);
  });

  it('fills {filters}', async () => {
    const run = await ask(
      'query ($f: JSON) { filtered(run: {filtersOverride: $f}) { rows { late } } }',
      { f: { properties: [{ key: 'late', operator: 'gt', value: 17 }] } },
    );
    expect(fieldOf(run, 'filtered').rows).toEqual([{ late: 18 }, { late: 19 }]);
  });

  it('tells the SQL and the key of its result with debug, to its caller alone', async () => {
    const query = '{ airportDelays(run: {debug: true}) { run { query cacheKey } isCached } }';
    for (const isCached of [false, true, true]) {
      const run = fieldOf(await ask(query), 'airportDelays');
      expect(run.isCached).toBe(isCached);
      expect(run.run).toMatchObject({ query: expect.stringContaining('SELECT') });
      expect(run.run.cacheKey).toEqual(expect.any(String));
    }
  });
});

describe('a document', () => {
  it('has aliases, fragments, conditions, defaults and several runs', async () => {
    const response = await ask(
      `query Two($origin: String = "SFO", $rows: Boolean!, $no: Boolean = false) {
        a: airportDelays(origin: $origin, run: {limit: 1}) { ...Facts rows @include(if: $rows) { ...Row } }
        b: airportDelays(run: {limit: 1}) { ...Facts rows @skip(if: $rows) { ...Row } }
        c: plain @include(if: $no) { hasMore }
        ... on Query { plain { rows { run orderBy column3 } } }
        __typename
      }
      fragment Facts on AirportDelaysRun { more: hasMore ... @include(if: $no) { isCached } }
      fragment Row on AirportDelaysRow { late ... on AirportDelaysRow { l: late } }`,
      { rows: true },
    );
    expect(response.text).toBe(
      '{"data":{"a":{"more":true,"rows":[{"late":1,"l":1}]},"b":{"more":true},"plain":{"rows":[{"run":1,"orderBy":2,"column3":3}]},"__typename":"Query"}}',
    );
    const other = await ask(
      'query ($y: Boolean!) { airportDelays(run: {limit: 1}) { rows @include(if: $y) { late } } }',
      { y: false },
    );
    expect(other.text).toBe('{"data":{"airportDelays":{}}}');
  });

  it('chooses one of its operations by name', async () => {
    const query = 'query A { plain { rows { run } } } query B { plain { hasMore } }';
    const named = (operationName: string) =>
      test.rest('POST', '/graphql', { body: { query, operationName } });
    expect((await named('B')).text).toBe('{"data":{"plain":{"hasMore":false}}}');
    expect((await named('A')).text).toBe('{"data":{"plain":{"rows":[{"run":1}]}}}');
    expect((await named('C')).status).toBe(400);
  });

  it('is the same for both prefixes, for @current and by GET', async () => {
    const query = '{ plain { rows { run } } }';
    const wanted = '{"data":{"plain":{"rows":[{"run":1}]}}}';
    for (const prefix of ['projects', 'environments'] as const) {
      for (const project of [String(test.project.id), '@current', '%40current']) {
        const options = { prefix, project, key: test.project.readKey };
        const search = new URLSearchParams({ query });
        expect((await test.rest('GET', `/graphql?${search}`, options)).text).toBe(wanted);
        expect((await ask(query, {}, options)).text).toBe(wanted);
        expect((await ask(query, {}, options)).text).toBe(wanted);
      }
    }
  });
});

describe('an argument', () => {
  const values = `rows { whole wide part list kind mode maybe }`;
  it('keeps every digit of numbers in the document', async () => {
    const response = await ask(
      `{ exact(whole: -9223372036854775807, wide: 115792089237316195423570985008687907853269984665640564039457584007913129639935,
        part: 123456789012345678.00000000000000000001, list: [18446744073709551615, 1], kind: "b-c", mode: slow, maybe: null) { ${values} } }`,
    );
    expect(response.text).toContain(
      '{"whole":-9223372036854775807,"wide":"115792089237316195423570985008687907853269984665640564039457584007913129639935","part":"123456789012345678.00000000000000000001","list":[18446744073709551615,1],"kind":"b-c","mode":"slow","maybe":null}',
    );
  });

  it('keeps every digit of numbers and texts in variables', async () => {
    const body = `{"query": ${JSON.stringify(
      `query ($w: BigInt!, $h: HugeInt!, $p: Decimal!, $l: [BigInt!]!, $m: ExactRun_mode!) {
        exact(whole: $w, wide: $h, part: $p, list: $l, kind: "a", mode: $m, maybe: 7) { ${values} } }`,
    )}, "variables": {"w": 9223372036854775807, "h": "1", "p": "0.5", "l": ["18446744073709551615"], "m": "fast"}}`;
    const response = await test.rest('POST', '/graphql', { body });
    expect(response.text).toContain(
      '{"whole":9223372036854775807,"wide":"1","part":"0.50000000000000000000","list":[18446744073709551615],"kind":"a","mode":"fast","maybe":7}',
    );
  });

  it('of Float takes whole numbers beyond 2^53 in variables', async () => {
    const query = 'query ($n: Float) { kept(n: $n) { rows { n } } }';
    for (const n of ['100000000000000000000', '9007199254740992', '-1e30']) {
      const body = `{"query": ${JSON.stringify(query)}, "variables": {"n": ${n}}}`;
      const response = await test.rest('POST', '/graphql', { body });
      expect(response.body).toEqual({ data: { kept: { rows: [{ n: Number(n) }] } } });
    }
  });

  it('of Float keeps the digits of a whole number for a Number variable', async () => {
    const asGiven = '{ rows { asGiven } }';
    const literal = await ask(`{ kept(n: 9007199254740993) ${asGiven} }`);
    expect(JSON.stringify(literal)).toContain('9007199254740993');
    const query = `query ($n: Float) { kept(n: $n) ${asGiven} }`;
    const body = `{"query": ${JSON.stringify(query)}, "variables": {"n": 9007199254740993}}`;
    expect((await test.rest('POST', '/graphql', { body })).text).toContain('9007199254740993');
  });

  it('of Float keeps the sign of zero, also that of a default', async () => {
    const query = 'SELECT 1 / {n:Float64} < 0 AS negative';
    await save(test, {
      name: 'signed',
      query: { kind: 'SQLQuery', query, variables: { n: { value: '-0' } } },
    });
    const rows = '{ rows { negative } }';
    for (const field of ['signed', 'signed(n: -0.0)', 'signed(n: -0)'])
      expect(fieldOf(await ask(`{ ${field} ${rows} }`), 'signed').rows).toEqual([{ negative: 1 }]);
    expect(fieldOf(await ask(`{ signed(n: 0) ${rows} }`), 'signed').rows).toEqual([
      { negative: 0 },
    ]);
    for (const n of ['-0.0', '-0'])
      for (const [path, body] of [
        ['/endpoints/signed/run', `{"variables": {"n": ${n}}}`],
        [
          '/graphql',
          `{"query": "query ($n: Float!) { signed(n: $n) ${rows} }", "variables": {"n": ${n}}}`,
        ],
      ] as const)
        expect((await test.rest('POST', path, { body })).text).toMatch(/\[\[1\]\]|"negative":1/);
    const { text } = await test.rest('GET', '/graphql/schema.graphql?fields=signed');
    expect(text).toMatch(/\bn: Float\n/);
    await test.rest('DELETE', '/endpoints/signed');
  });

  it('of Float with too many digits is told to be rounded, which it then may be', async () => {
    const { body } = await ask('{ kept(n: 0.12345678901234567890) { rows { n } } }');
    expect(body.errors?.[0]?.message).toContain('or rounded to 15 digits.');
    const rounded = await ask('{ kept(n: 0.123456789012346) { rows { n } } }');
    expect(fieldOf(rounded, 'kept').rows).toEqual([{ n: 0.123456789012346 }]);
  });

  it('that is left out takes the default of the query', async () => {
    const query = 'query ($n: Float, $s: String) { kept(n: $n, s: $s) { rows { n s } } }';
    expect(fieldOf(await ask(query), 'kept').rows).toEqual([{ n: 5, s: 'x' }]);
    expect(fieldOf(await ask(query, { n: 1.5, s: 'y' }), 'kept').rows).toEqual([
      { n: 1.5, s: 'y' },
    ]);
    expect(fieldOf(await ask(query, { s: null }), 'kept').rows).toEqual([{ n: 5, s: 'none' }]);
  });

  it('that is a map has no member whose variable is left out', async () => {
    await save(test, { name: 'mapped', query: 'SELECT {m:Map(String, Nullable(UInt8))} AS m' });
    const query = 'query ($a: Int) { mapped(m: {a: $a, b: 2}) { rows { m } } }';
    for (const [given, m] of [
      [{}, { b: 2 }],
      [{ a: null }, { a: null, b: 2 }],
      [{ a: 1 }, { a: 1, b: 2 }],
    ] as const)
      expect(fieldOf(await ask(query, given), 'mapped').rows).toEqual([{ m }]);
    await test.rest('DELETE', '/endpoints/mapped');
  });

  it('never collides with those about the run', async () => {
    const response = await ask(
      '{ reserved(run_2: 1, orderBy_2: 2, limit: 3, run: {limit: 4}) { rows { run orderBy limit } run { limit } } }',
    );
    expect(fieldOf(response, 'reserved')).toEqual({
      rows: [{ run: 1, orderBy: 2, limit: 3 }],
      run: { limit: 4 },
    });
  });

  it('orders by no column that is named true, false or null, which no value of an enum can be', async () => {
    const words = 'SELECT number AS `true`, 1 AS `false`, 2 AS `null`, number AS n FROM numbers(2)';
    await save(test, { name: 'words', query: words });
    const rows = 'rows { true false null n }';
    expect(fieldOf(await ask(`{ words(orderBy: [{desc: n}]) { ${rows} } }`), 'words').rows).toEqual(
      [
        { true: 1, false: 1, null: 2, n: 1 },
        { true: 0, false: 1, null: 2, n: 0 },
      ],
    );
    const { body } = await ask('{ __type(name: "WordsColumn") { enumValues { name } } }');
    expect(body.data).toEqual({ __type: { enumValues: [{ name: 'n' }] } });
    await test.rest('DELETE', '/endpoints/words');
  });

  it('refused by the run is named as the graph names it', async () => {
    const refused: readonly (readonly [string, string | null, string])[] = [
      ['airportDelays(minLate: -1)', 'minLate', 'minLate must be an integer'],
      ['airportDelays(minLate: 1e3)', 'minLate', 'minLate must be an integer'],
      ['airportDelays(origin: "a\\u0000b")', 'origin', 'The text contains a NUL character.'],
      ['airportDelays(run: {limit: 0})', 'run.limit', 'limit must be'],
      ['airportDelays(run: {offset: "x"})', 'run.offset', 'offset must be'],
      ['airportDelays(run: {offset: 1e3})', 'run.offset', 'offset must be an integer, 0 or more.'],
      [
        'airportDelays(run: {maxAgeSeconds: -1})',
        'run.maxAgeSeconds',
        'maxAgeSeconds must be an integer',
      ],
      [
        'airportDelays(run: {staleIfErrorSeconds: -1})',
        'run.staleIfErrorSeconds',
        'staleIfErrorSeconds must be an integer',
      ],
      [
        'airportDelays(run: {clientQueryId: ""})',
        'run.clientQueryId',
        'A client query id must have',
      ],
      ['airportDelays(run: {refresh: direct})', 'run.refresh', 'refresh: direct requires'],
      [
        'airportDelays(run: {filtersOverride: {}})',
        'run.filtersOverride',
        'filtersOverride is not allowed',
      ],
      ['airportDelays(run: {cursor: "x", offset: 1})', 'run.cursor', 'Omit offset'],
      [
        'airportDelays(run: {cursor: "x"})',
        'run.cursor',
        'Use the one that the previous page returned, with the same version, variables, columns and order',
      ],
      ['airportDelays(orderBy: [])', 'orderBy', 'orderBy must name at least one column.'],
      [
        'airportDelays(orderBy: [{asc: avgDelay}, {desc: avgDelay}])',
        'orderBy',
        'orderBy names "avgDelay" twice.',
      ],
    ];
    for (const [field, attr, message] of refused) {
      const response = await ask(`{ ${field} { hasMore } }`);
      expect(messagesOf(response)[0]).toContain(message);
      expect([field, codesOf(response), attrsOf(response)]).toEqual([
        field,
        ['invalid_input'],
        [attr],
      ]);
      expect(response.body).toMatchObject({
        data: { airportDelays: null },
        errors: [{ path: ['airportDelays'], locations: [{ line: 1, column: 3 }] }],
      });
    }
    const missing = await ask('{ airportDelays(run: {version: 9}) { hasMore } }');
    expect([codesOf(missing), attrsOf(missing)]).toEqual([['version_not_found'], ['run.version']]);
    const sentence = 'Version 9 not found for airportDelays. The current version is 1.';
    expect(missing.body.errors).toMatchObject([
      { message: sentence, extensions: { error: sentence, current_version: 1 } },
    ]);
    const filter = '{ filtered(run: {filtersOverride: {date_form: "x"}}) { hasMore } }';
    const misspelt = await ask(filter);
    expect(attrsOf(misspelt)).toEqual(['run.filtersOverride']);
    expect(messagesOf(misspelt)[0]).toContain('no member "date_form"');
  });

  it('that may be null has to be given all the same, if it has no default', async () => {
    await save(test, { name: 'nullable', query: 'SELECT {may_be:Nullable(UInt8)} AS n' });
    const left = await ask('{ nullable { rows { n } } }');
    expect([codesOf(left), attrsOf(left)]).toEqual([['missing_variable'], ['mayBe']]);
    expect(messagesOf(left)).toEqual(["Required argument(s) 'mayBe' not provided."]);
    expect(fieldOf(await ask('{ nullable(mayBe: null) { rows { n } } }'), 'nullable').rows).toEqual(
      [{ n: null }],
    );
    await test.rest('DELETE', '/endpoints/nullable');
  });

  it('that an older version does not take is named, and so is one that it needs', async () => {
    const query = 'SELECT {first_one:UInt8} AS n';
    await save(test, { name: 'retaken', query });
    const next = 'SELECT {first_one:UInt8} + {second_one:UInt8} AS n';
    await change(test, 'retaken', { query: next });
    await change(test, 'retaken', { query });
    const run = (version: number) =>
      ask(`{ retaken(firstOne: 1, run: {version: ${version}}) { rows { n } } }`);
    const needing = await run(2);
    expect([codesOf(needing), attrsOf(needing)]).toEqual([['missing_variable'], ['run.version']]);
    expect(messagesOf(needing)[0]).toContain("argument(s) 'second_one'");
    await change(test, 'retaken', { query: next });
    const unknown = await ask(
      '{ retaken(firstOne: 1, secondOne: 2, run: {version: 1}) { rows { n } } }',
    );
    expect(messagesOf(unknown)).toEqual(['Unknown argument(s): secondOne. Accepted: firstOne.']);
  });

  it('given by a variable of another type is named, too', async () => {
    const query =
      'query ($l: Int, $f: BigInt!, $o: RunOptions) { airportDelays(minLate: $f, run: {limit: $l}) { hasMore } plain(run: $o) { hasMore } }';
    const response = await ask(query, { l: 'x', f: 1, o: { limit: {} } });
    expect(codesOf(response)).toEqual(['invalid_input', 'invalid_input']);
    expect(attrsOf(response)).toEqual(['run.limit', 'run.limit']);
    expect(response.body).not.toHaveProperty('data');
    const none = await ask(query, {});
    expect(attrsOf(none)).toEqual(['minLate']);
    const sorted = 'query ($o: [PlainOrder!]) { plain(orderBy: $o) { hasMore } }';
    expect(attrsOf(await ask(sorted, { o: [{ asc: 'run', desc: null }] }))).toEqual(['orderBy[0]']);
  });
});

describe('an error', () => {
  it('tells of a selected column whose type in the result is not that of its field', async () => {
    const query = (field: string) => `{ kept(n: 1.5) { rows { ${field} } } }`;
    const refused = await ask(query('asGiven'));
    expect(codesOf(refused)).toEqual(['shape_changed']);
    expect(attrsOf(refused)).toEqual(['rows.asGiven']);
    expect(messagesOf(refused)[0]).toContain('asGiven is now Float64, not Int64');
    expect(fieldOf(await ask(query('n')), 'kept').rows).toEqual([{ n: 1.5 }]);
  });

  it('leaves the other fields as they are', async () => {
    const response = await ask(
      '{ a: plain(run: {limit: 0}) { hasMore } b: plain { hasMore } c: plain(run: {version: 4}) { hasMore } }',
    );
    expect(response.status).toBe(200);
    expect(response.body.data).toEqual({ a: null, b: { hasMore: false }, c: null });
    expect(response.body.errors).toMatchObject([{ path: ['a'] }, { path: ['c'] }]);
  });

  it('of an unknown field suggests one that begins with the same letter', async () => {
    const response = await ask(
      '{ airportDelay { hasMore } xirportDelays { hasMore } airportDelays { rowz } }',
    );
    expect(messagesOf(response)).toEqual([
      'Cannot query field "airportDelay" on type "Query". Did you mean "airportDelays"?',
      'Cannot query field "xirportDelays" on type "Query".',
      'Cannot query field "rowz" on type "AirportDelaysRun". Did you mean "rows"?',
    ]);
    expect(new Set(codesOf(response))).toEqual(new Set(['GRAPHQL_VALIDATION_FAILED']));
  });

  it('of what is for subscriptions', async () => {
    const response = await ask('{ plain(run: { intervalSeconds: 60 }) { hasMore } }');
    expect(messagesOf(response)).toEqual([
      'intervalSeconds applies only to subscriptions. Omit it.',
    ]);
    expect(response.body.errors).toMatchObject([
      { extensions: { code: 'invalid_input', attr: 'run.intervalSeconds' } },
    ]);
    const resumed = await ask('{ plain(run: { lastContentId: "a" }) { hasMore } }');
    expect(messagesOf(resumed)).toEqual(['lastContentId applies only to subscriptions. Omit it.']);
  });

  it('of an operation that there is none of', async () => {
    expect(messagesOf(await ask('mutation { plain { hasMore } }'))).toEqual([
      'Schema is not configured to execute mutation operation.',
    ]);
    expect(messagesOf(await ask('subscription { plain { hasMore } }'))).toEqual([
      'The response to a subscription is a stream. Send Accept: text/event-stream, or use a WebSocket.',
    ]);
  });
});

describe('introspection', () => {
  it('knows all fields and their types', async () => {
    const response = await ask(
      '{ __schema { queryType { fields { name } } } row: __type(name: "AirportDelaysRow_place") { fields { name } } none: __type(name: "Nope") { name } plain { hasMore } }',
    );
    expect(response.body.data).toEqual({
      __schema: {
        queryType: {
          fields: [
            ...['airportDelays', 'exact', 'filtered', 'kept', 'plain', 'reserved'],
            ...['retaken', 'retaken_v1', 'retaken_v3', '_usage'],
          ].map((name) => ({ name })),
        },
      },
      row: { fields: [{ name: 'lat' }, { name: 'airportName' }] },
      none: null,
      plain: { hasMore: false },
    });
  });
});
