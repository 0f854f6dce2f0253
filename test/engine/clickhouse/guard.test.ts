import { describe, expect, it } from 'vitest';
import { refusalOfTokens } from '../../../src/engine/clickhouse/guard/3-tokens.ts';
import { refusalOfSyntaxTree } from '../../../src/engine/clickhouse/guard/5-syntax-tree.ts';
import { refusalOfResolvedTree } from '../../../src/engine/clickhouse/guard/8-resolved-tree.ts';
import { ownPlace } from '../../../src/engine/clickhouse/provision/project-users.ts';
import { readQueryTree } from '../../../src/sql/query-tree.ts';
import { lexSql } from '../../../src/sql/sql-lexer.ts';

const lexed = (sql: string) => ({ sql, tokens: lexSql(sql) });
const ofText = (sql: string) => refusalOfTokens(lexed(sql));

/** What the text alone shows; nothing of it has been given to the engine then. */
describe('the tokens of a text', () => {
  it.each([
    ["SELECT 1,\n  file('/x')", 'The function file at line 2, column 3 is not accepted: it reads'],
    ["SELECT FiLe ('/x')", 'The function FiLe at line 1, column 8'],
    ["SELECT file\n--\n/* a /* b */ ( */ ('/x')", 'The function file at line 1'],
    ["SELECT `file`('/x')", 'The function file'],
    ['SELECT "file"(\'/x\')', 'The function file'],
    ["SELECT “file”('/x')", 'The function file'],
    ["SELECT `fi``le`, `\\file`('/x')", 'The quoted name at line 1, column 18'],
    ["SELECT file\u200b('/x')", 'The function file'],
    ["SELECT $' $ $', file('/x') -- '", 'The function file'],
    ["SELECT $t$ $t$, '$t$', file('/x'), '$t$'", 'The function file'],
    ["SELECT ‘'’, file('/x'), ‘'’", 'The function file at line 1, column 13'],
    ["SELECT $$'$$, file('/x'), $$'$$", 'The function file'],
    ["SELECT 1 /* /* */ ' */, file('/x') --'", 'The function file'],
    ["SELECT a$$, file('/x'), b$$", 'The function file'],
    ["SELECT dictGetSomethingNew('d', 'a', 1)", 'dictionaries belong'],
    ['SELECT 1 FROM `e, final: 1`', 'The quoted name at line 1, column 15 contains “, final:”'],
    ['SELECT __getScalar(1)', 'reserved for the engine'],
    ['SELECT {x:Identifier}', 'The variable x at line 1, column'],
    ['SELECT { x /* a */ : /* b */ Identifier }', 'The variable x at line 1, column'],
    ["SELECT ‘'’, {x:identifier}, ‘'’", 'The variable x at line 1, column'],
    ['SELECT 1 AS `a\nSet`', 'The quoted name at line 1, column 13'],
    ['SELECT 1 AS `a\\nSet`', 'The quoted name'],
    ['SELECT 1 AS "a\\x0aSet"', 'The quoted name'],
    ['SELECT 1 AS `a\\\\nSet`', null],
    ["SELECT 'a\\nb', 'a\nb', $$\n$$", null],
    ['SELECT \'file(1)\', file, t.file, "file" -- file(1)', null],
    ['SELECT profile(1), files (1), x.y', null],
    ['SELECT hostname, version AS user FROM t', null],
  ])('%j', (sql, says) => {
    if (says === null) expect(ofText(sql)).toBeNull();
    else expect(ofText(sql)).toContain(says);
  });
});

const select = (...lines: readonly string[]) => [
  'SelectWithUnionQuery (children 1)',
  ' ExpressionList (children 1)',
  '  SelectQuery (children 1)',
  '   ExpressionList (children 1)',
  ...lines.map((line) => `    ${line}`),
];
const ofAst = (lines: readonly string[], sql = 'SELECT 1') =>
  refusalOfSyntaxTree(lines, ownPlace(1), lexed(sql));

describe('the syntax tree', () => {
  it.each([
    ['a plain one', select('Literal UInt64_1'), null],
    ['another statement', ['CreateQuery x (children 1)', ' Identifier x'], 'one SELECT'],
    ['no lines', [], 'one SELECT'],
    ['a second root', [...select('Literal 1'), 'SelectWithUnionQuery'], 'plain identifiers'],
    ['more children than promised', select('Literal 1', 'Literal 2'), 'plain identifiers'],
    ['fewer children than promised', select('Function f (children 1)'), 'plain identifiers'],
    ['a level left out', select('Literal 1 (children 1)', '  Literal 2'), 'plain identifiers'],
    ['a clause beside the list', [...select('Literal 1'), ' Identifier CSV'], 'plain identifiers'],
    ['an unknown node', select('ExplainQuery'), 'ExplainQuery is not accepted'],
    ['an APPLY, of which nothing is shown', select('ColumnsApplyTransformer'), null],
    ['SETTINGS', select('Set'), 'SETTINGS'],
    ['an unresolved parameter', select('QueryParameter x:Identifier'), 'not accepted'],
  ])('%s', (_what, lines, says) => {
    if (says === null) expect(ofAst(lines)).toBeNull();
    else expect(ofAst(lines)).toContain(says);
  });

  it('recognises output clauses at the top', () => {
    const lines = select('Literal UInt64_1');
    const withFormat = ['SelectWithUnionQuery (children 2)', ...lines.slice(1), ' Identifier CSV'];
    expect(ofAst(withFormat, 'SELECT 1\nFORMAT CSV')).toMatch(/FORMAT .* line 2, column 1\.$/);
  });
});

const ofLines = (lines: readonly string[]) =>
  refusalOfResolvedTree(readQueryTree(lines), {
    lexed: lexed('SELECT 1'),
    given: [],
    place: ownPlace(1),
    zones: new Set(),
    searched: new Map(),
    summed: new Map(),
  });
const ofTree = (line: string) => ofLines(['QUERY id: 0', line]);

describe('the query tree', () => {
  it.each([
    ['  FUNCTION id: 2, function_name: plus, function_type: ordinary', null],
    ['  FUNCTION id: 2, function_name: _CAST, function_type: ordinary', null],
    ['  FUNCTION id: 2, function_name: file, function_type: ordinary', 'file is not accepted'],
    ['  FUNCTION id: 2, alias: a, function_name: file, function_type: ordinary', 'file'],
    ['  FUNCTION id: 2, alias: x, function_name: plus, function_name: file, result', 'file'],
    ['  FUNCTION id: 2', 'plain identifiers'],
    ['  TABLE id: 3, alias: __table1, table_name: project_1.t', null],
    ['  TABLE id: 3, table_name: system.one', null],
    ['  TABLE id: 3, table_name: system.one_more', 'tables of its project'],
    [
      '  TABLE id: 3, alias: a, table_name: project_1.t, table_name: project_2.t',
      'tables of its project',
    ],
    ['  TABLE id: 3, table_name: project_10.t', 'tables of its project'],
    ['  TABLE id: 3, storage: x', 'plain identifiers'],
    ['  TABLE_FUNCTION id: 3, table_function_name: numbers', null],
    ['  TABLE_FUNCTION id: 3, table_function_name: merge', 'merge is not accepted'],
    ['  TABLE_FUNCTION id: 3, alias: a', 'plain identifiers'],
  ])('%s', (line, says) => {
    if (says === null) expect(ofTree(line)).toBeNull();
    else expect(ofTree(line)).toContain(says);
  });

  it('has to be one', () => {
    expect(ofLines([])).toContain('plain identifiers');
    expect(ofLines(['x'])).toContain('plain identifiers');
  });
});
