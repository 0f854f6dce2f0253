import { describe, expect, it } from 'vitest';
import { EngineError } from '../../../src/engine/clickhouse/errors/engine-error.ts';
import { safeMessage } from '../../../src/engine/clickhouse/errors/safe-message.ts';
import { translateError } from '../../../src/engine/clickhouse/errors/translate-error.ts';
import { ServiceError } from '../../../src/errors/service-error.ts';

const say = (text: string) => `Code: 1. DB::Exception: ${text} (SOME_NAME) (version 26.7.2.1)\n`;

describe('safeMessage', () => {
  it.each([
    ['Illegal type String: In scope SELECT sum(s) FROM t.', 'Illegal type String.'],
    [
      "Unknown expression identifier `idd` in scope SELECT idd FROM t. Maybe you meant: ['id'].",
      'Unknown expression identifier `idd`. Did you mean id?',
    ],
    [
      "Function with name `cuont` does not exist. In scope SELECT cuont() FROM t. Maybe you meant: ['conv','count','it\\'s'].",
      "Function with name `cuont` does not exist. Did you mean conv, count or it's?",
    ],
    ["Unknown table 'x'. Maybe you meant project_2.secret?.", "Unknown table 'x'."],
    [
      "Column 'project_1.t.id' is not under aggregate function. In query SELECT 1.",
      "Column 't.id' is not under aggregate function.",
    ],
    ['project_1_reader: Not enough privileges.', 'Not enough privileges.'],
    ['Cannot open file /var/lib/clickhouse/x.bin', 'Cannot open file (a path).'],
    ['Connection refused (db1.internal:9000)', 'Connection refused ((an address)).'],
    ["Cannot reach 'https://user:pw@host/x?y'", "Cannot reach '(an address)."],
    ["boom: while executing 'FUNCTION throwIf(1_UInt8 :: 1)'.", 'boom.'],
    [
      "Duplicate aliases q for table expressions in FROM section are not allowed. Try to register SELECT 'a' AS q. Already registered c AS q",
      'Duplicate aliases q for table expressions in FROM section are not allowed.',
    ],
    ['', 'The engine refused the query.'],
    ['bad. Stack trace:\n\n0. DB::f() @ 0x0', 'bad.'],
    ['x'.repeat(1000), `${'x'.repeat(299)}…`],
  ])('makes of %j', (raw, words) => {
    expect(safeMessage(say(raw), { projectId: 1 })).toBe(words);
  });

  it('counts lines and columns of the author’s own text', () => {
    const sql = 'SELECT\n  é,\n  count( FROM t';
    const position = 12 + Buffer.byteLength(sql.slice(0, sql.indexOf('('))) + 1;
    const raw = say(
      `Syntax error: failed at position ${position} (() (line 4, col 8): ( FROM t. Unmatched parentheses: (.`,
    );
    expect(safeMessage(raw, { projectId: 1, sql, bytesBefore: 12 })).toBe(
      'Syntax error at line 3, column 8 near `(`. Its parentheses do not match.',
    );
  });
});

describe('translateError', () => {
  it.each([
    [159, 'Timeout exceeded', 'query_timeout'],
    [241, 'Query memory limit exceeded', 'query_memory_limit'],
    [241, '(total) memory limit exceeded', 'query_capacity'],
    [243, 'Cannot reserve 31.01 MiB, not enough space', 'query_capacity'],
    [75, 'Cannot write to file: errno: 28, strerror: No space left on device', 'query_capacity'],
    [396, 'Limit for result exceeded', 'query_too_large'],
    [202, 'Too many simultaneous queries for user x', 'too_many_concurrent_queries'],
    [202, 'Too many simultaneous queries. Maximum: 100', 'query_capacity'],
    [394, 'Query was cancelled', 'query_cancelled'],
    [516, 'Authentication failed', 'engine_unavailable'],
    [0, '<html>Bad gateway</html>', 'engine_unavailable'],
    [0, 'HTTP request URI invalid or too long', 'invalid_input'],
    [497, 'Not enough privileges. Grant SELECT ON project_2.x', 'query_failed'],
    [62, 'Syntax error', 'query_failed'],
    [12345, 'something new', 'query_failed'],
  ])('%i %s is %s', (number, message, code) => {
    const error = translateError(new EngineError(number, say(message)), {
      fault: 'query_failed',
      projectId: 1,
    });
    expect(error.code).toBe(code);
    expect(error.message).not.toContain('project_2');
    expect(error.internal).toContain(message);
    expect(error.retryAfterSeconds === null).toBe(error.status < 429);
  });

  it('says that a scalar subquery finds no row, and with which values it looks', () => {
    const error = new EngineError(
      125,
      say('Scalar subquery returned empty result of type Array(Float32) which cannot be Nullable.'),
    );
    const messageOf = (fault: 'invalid_query' | 'query_failed') =>
      translateError(error, { fault, projectId: 1 }).message;
    expect(messageOf('query_failed')).toBe(
      'A scalar subquery returned no row, and its type has no NULL. Write an aggregate into it, such as arrayFlatten(groupArray(…)), which has a value without rows as well.',
    );
    expect(messageOf('invalid_query')).toBe(
      'Scalar subquery returned empty result of type Array(Float32) which cannot be Nullable. Queries are checked with the defaults of their variables: give them defaults for which the subquery finds a row.',
    );
    const several = new EngineError(125, say('Scalar subquery returned more than one row.'));
    expect(translateError(several, { fault: 'query_failed', projectId: 1 }).message).toBe(
      'A scalar subquery returned more than one row.',
    );
  });

  it.each([
    [
      'Aggregate function any(at) AS at is found inside another aggregate function in query. In query SELECT any(at) AS at, max(at) FROM t',
      'Aggregate function any(at) AS at is found inside another aggregate function in query. The alias at stands for the aggregate in the whole query: for a column of this name, write the name or alias of its table before it, as in t.at, or give the aggregate another alias.',
    ],
    [
      'Aggregate function max(w) AS `my w` is found in WHERE in query. In query SELECT max(w) AS `my w` FROM t WHERE `my w` = 1',
      'Aggregate function max(w) AS `my w` is found in WHERE in query. The alias `my w` stands for the aggregate in the whole query: for a column of this name, write the name or alias of its table before it, as in t.`my w`, or give the aggregate another alias; for a condition on the aggregate, write HAVING instead.',
    ],
    [
      'Aggregate function count() is found in WHERE in query. In query SELECT 1 FROM t WHERE count() > 1',
      'Aggregate function count() is found in WHERE in query.',
    ],
    [
      'Function neighbor is deprecated since its usage is error-prone (see docs).Please use proper window function or set `allow_deprecated_error_prone_window_functions` setting to enable it',
      'Function neighbor is deprecated since its usage is error-prone. Write lag(x) OVER (ORDER BY …) or lead(x) OVER (ORDER BY …).',
    ],
    [
      'Aggregate function sequenceNextNode is experimental. Set `allow_experimental_funnel_functions` setting to enable it',
      'Aggregate function sequenceNextNode is experimental. It is not available in queries.',
    ],
    [
      'Data types Variant/Dynamic are not allowed in GROUP BY keys, because of this. Consider casting this column to a specific data type. Set setting allow_suspicious_types_in_group_by = 1 in order to allow it',
      'Data types Variant/Dynamic are not allowed in GROUP BY keys, because of this. Consider casting this column to a specific data type.',
    ],
  ])('says what to write instead: %s', (raw, expected) => {
    const error = new EngineError(184, say(raw));
    expect(translateError(error, { fault: 'invalid_query', projectId: 1 }).message).toBe(expected);
  });

  it.each([
    ["count(ts > _CAST('978307200', 'DateTime64(3)'))", 'count(ts > {mid})'],
    ["count(p = _CAST('x', 'Enum8(\\'x\\' = 1)'))", 'count(p = {plan})'],
    ["count(n > _CAST(1, 'UInt8'))", 'count(n > {…:UInt8})'],
    ["count(n > _CAST(1, 'Int8'))", "count(n > _CAST(1, 'Int8'))"],
  ])('names variables instead of their values: %s', (raw, expected) => {
    const written =
      "SELECT {mid:DateTime64(3)}, {plan: Enum8('x' = 1)}, {a:UInt8} + {b:UInt8} FROM t";
    const error = new EngineError(184, say(`${raw} is found in WHERE in query. In query SELECT 1`));
    expect(translateError(error, { fault: 'invalid_query', projectId: 1, written }).message).toBe(
      `${expected} is found in WHERE in query.`,
    );
  });

  it('says nothing of values where an aggregate does not accept a type', () => {
    const raw = 'Illegal type DateTime64(3) of argument for aggregate function deltaSumTimestamp';
    const sql = 'SELECT deltaSumTimestamp(x, at) FROM t WHERE y = {y:UInt8}';
    const error = new EngineError(43, say(raw));
    expect(translateError(error, { fault: 'invalid_query', projectId: 1, sql }).message).toBe(
      `${raw}.`,
    );
  });

  it.each([
    ['invalid_query', 'SELECT toDate({day:String})', true],
    ['invalid_query', "SELECT toDate('x')", false],
    ['query_failed', 'SELECT toDate({day:String})', false],
  ] as const)('says which values a query is checked with: %s, %s', (fault, sql, isTold) => {
    const error = new EngineError(38, say('Cannot parse date: value is too short.'));
    const { message } = translateError(error, { fault, projectId: 1, sql });
    const told =
      / Queries are checked with the defaults of their variables, and with 1, an empty text and the like for those without: give them defaults for which this can be evaluated\.$/;
    expect(told.test(message)).toBe(isTold);
  });

  it('leaves what is translated already, and shows nothing of what is not the engine’s', () => {
    const known = new ServiceError('query_timeout', 'x');
    const context = { fault: 'query_failed', projectId: 1 } as const;
    expect(translateError(known, context)).toBe(known);
    const unknown = translateError(new Error('connect ECONNREFUSED 10.0.0.1:8123'), context);
    expect(unknown).toMatchObject({ code: 'engine_unavailable', retryAfterSeconds: 1 });
    expect(unknown.message).not.toContain('10.0.0.1');
  });
});
