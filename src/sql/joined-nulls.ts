/**
 * Whether a JOIN compares something with a value that is NULL for some variables or rows: that of a function, as in
 * `b.plan = nullIf({plan:String}, '')`, or the one value of a subquery, which may find no row. Pure.
 */
import { LRUCache } from 'lru-cache';
import { lexSql } from './sql-lexer.ts';

const BEHIND_ON =
  /^(?:where|prewhere|group|having|order|limit|offset|window|qualify|union|intersect|except|settings|join|using)$/i;
/** Behind these a word is the name of a column. */
const BEFORE_OPERAND = /^(?:and|or|not|on)$|[.=<>!+*/%,-]$/i;
/** Before a subquery that is a set or a table. */
const OF_ROWS = /^(?:in|exists|join|as)$/i;
const MAY_BE_NULL =
  /\b(?:select|from)\b.*\bselect\b|null|\bcase\b|\bdictget|\bdynamic|\bvariant|\bjson\b/is;

/** Every read asks. */
const known = new LRUCache<string, boolean>({ max: 2000, maxSize: 16_777_216, sizeCalculation });

function sizeCalculation(_found: boolean, sql: string): number {
  return 2 * sql.length + 100;
}

export function mayJoinNull(sql: string): boolean {
  if (!MAY_BE_NULL.test(sql)) return false;
  const cached = known.get(sql);
  if (cached !== undefined) return cached;
  const found = search(sql);
  known.set(sql, found);
  return found;
}

interface Text {
  readonly tokens: readonly string[];
  /** For each token the innermost bracket that is open before it; -1 if none is. */
  readonly inside: readonly number[];
  /** The CASEs without an ELSE of their own. */
  readonly casesWithoutElse: ReadonlySet<number>;
  /** The brackets that stand in a FROM clause. */
  readonly inFrom: ReadonlySet<number>;
}

function read(sql: string): Text {
  const tokens = lexSql(sql).map(({ start, end }) => sql.slice(start, end));
  const inside: number[] = [];
  const brackets: number[] = [];
  const casesWithoutElse = new Set<number>();
  const cases: number[] = [];
  const inFrom = new Set<number>();
  const clauses: string[] = [''];
  for (const [at, token] of tokens.entries()) {
    inside.push(brackets.at(-1) ?? -1);
    if (CLAUSE.test(token) && !BEFORE_OTHERS.test(tokens[at - 1] ?? ''))
      clauses[clauses.length - 1] = token;
    if (OPENS.test(token)) {
      if (/^from$/i.test(clauses.at(-1) ?? '')) inFrom.add(at);
      brackets.push(at);
      clauses.push('');
    } else if (CLOSES.test(token)) {
      brackets.pop();
      clauses.pop();
    } else if (/^case$/i.test(token)) {
      cases.push(at);
      casesWithoutElse.add(at);
    } else if (/^else$/i.test(token)) casesWithoutElse.delete(cases.at(-1) ?? -1);
    else if (/^end$/i.test(token)) cases.pop();
  }
  return { tokens, inside, casesWithoutElse, inFrom };
}

const CLAUSE =
  /^(?:with|select|from|array|prewhere|where|group|having|window|qualify|order|limit)$/i;
/** Behind these the word is a column, as in `a.order`, or an operator, as in `IS NOT DISTINCT FROM`. */
const BEFORE_OTHERS = /^(?:\.|distinct)$/i;
const OPENS = /^[([{]$/;
const CLOSES = /^[)\]}]$/;

function search(sql: string): boolean {
  const text = read(sql);
  const { tokens } = text;
  const names = namesIn(text);
  // The depth of each ON that has not ended.
  let open: number[] = [];
  let depth = 0;
  for (const [at, token] of tokens.entries()) {
    const isIn = open.length > 0;
    if (isIn && (isNull(text, at) || isValue(text, at) || isNamed(text, at, names))) return true;
    if (token === '(') depth += 1;
    if (token === ')') depth -= 1;
    const isKeyword = !BEFORE_OPERAND.test(tokens[at - 1] ?? '');
    const ends = isKeyword && BEHIND_ON.test(token);
    open = open.filter((own) => depth > own || (depth === own && !ends));
    if (isKeyword && /^on$/i.test(token)) open.push(depth);
  }
  return false;
}

/** A type whose values may be NULL, as a text, as in `JSONExtract(s, 'plan', 'Nullable(String)')`, or an aggregate. */
const NAMED = /^'.*(?:Nullable\(|Variant\(|Dynamic\b|JSON\b|OrNull)/s;
const NULLABLE = /^(?:(?:to)?nullable|dynamic|variant|json)$/i;
/** An attribute of a dictionary may be Nullable. */
const OR_NULL = /^(?:nullif|.*ornull|dictget.*|(?:variant|dynamic)element)$/i;

/** Not of `IS NULL`, which is never NULL. */
function isNull(text: Text, at: number): boolean {
  const { tokens, casesWithoutElse } = text;
  const token = tokens[at] ?? '';
  if (/^null$/i.test(token)) return !/^(?:is|not)$/i.test(tokens[at - 1] ?? '');
  if (casesWithoutElse.has(at) || NAMED.test(token)) return true;
  const name = unquoted(token);
  if (NULLABLE.test(name)) return !isTypeOfVariable(text, at) && tokens[at - 1] !== '.';
  return tokens[at + 1] === '(' && OR_NULL.test(name);
}

/** As in `{plan:Nullable(String)}` and `{plan:LowCardinality(Nullable(String))}`, of which the value tells. */
function isTypeOfVariable({ tokens }: Text, at: number): boolean {
  if (!/^nullable$/i.test(tokens[at] ?? '')) return false;
  const isWrapped = /^lowcardinality$/i.test(tokens[at - 2] ?? '');
  const colon = at - (isWrapped ? 3 : 1);
  return tokens[colon] === ':' && tokens[colon - 2] === '{';
}

/** Whether a subquery is one value. FROM stands before one in `EXTRACT(YEAR FROM (SELECT …))`. */
function isValue(text: Text, at: number): boolean {
  if (!isQuery(text, at)) return false;
  const before = text.tokens[at - 1] ?? '';
  if (before === ',' && text.inFrom.has(at)) return false;
  if (!/^from$/i.test(before)) return !OF_ROWS.test(before);
  const bracket = text.inside[at] ?? -1;
  return bracket >= 0 && !isQuery(text, bracket);
}

function isQuery({ tokens }: Text, at: number): boolean {
  return tokens[at] === '(' && /^(?:select|with|from)$/i.test(tokens[at + 1] ?? '');
}

/** Names of expressions that may be NULL, among them expressions that use such a name. */
function namesIn(text: Text): ReadonlySet<string> {
  let names: ReadonlySet<string> = new Set();
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const found = namesBy(text, names);
    if (found.size === names.size) break;
    names = found;
  }
  return names;
}

/** An expression may use a name that is given behind it; each pass follows one more of them. */
const MAX_PASSES = 8;
const BETWEEN_EXPRESSIONS = /^(?:,|select|with|distinct|from|on)$/i;

function namesBy(text: Text, known: ReadonlySet<string>): ReadonlySet<string> {
  const { tokens } = text;
  const names = new Set<string>();
  const outer: { readonly mayBe: boolean; readonly isRows: boolean; readonly at: number }[] = [];
  // Whether what is read so far of an expression may be NULL.
  let mayBe = false;
  for (const [at, token] of tokens.entries()) {
    const inside = outer.at(-1);
    if (OPENS.test(token)) {
      outer.push({ mayBe, isRows: isQuery(text, at), at });
      mayBe = false;
    } else if (CLOSES.test(token)) {
      outer.pop();
      const isOwn: boolean = inside?.isRows ? isValue(text, inside.at) : mayBe;
      mayBe = isOwn || inside?.mayBe === true;
    } else if (BETWEEN_EXPRESSIONS.test(token) && inside?.isRows !== false) {
      mayBe = false;
    } else if (isNull(text, at) || isNamed(text, at, known)) mayBe = true;
    const name = mayBe ? nameBehind(text, at) : null;
    if (name !== null) names.add(name);
  }
  return names;
}

/** The name that an expression gets behind this token. */
function nameBehind({ tokens }: Text, at: number): string | null {
  const [token = '', next = '', last = ''] = tokens.slice(at, at + 3);
  if (/^as$/i.test(token)) return unquoted(next);
  const isWritten = /^(?:[)\]}]|end)$/i.test(token) && /^(?:,|from)$/i.test(last);
  return isWritten && /^[\w`"]/.test(next) ? unquoted(next) : null;
}

/**
 * Whether one of the names stands there, not a column of that name. `found.1` and `found.plan` are elements of a tuple; a table
 * that has such a name is taken for one, too.
 */
function isNamed({ tokens }: Text, at: number, names: ReadonlySet<string>): boolean {
  return names.has(unquoted(tokens[at] ?? '')) && tokens[at - 1] !== '.';
}

function unquoted(token: string): string {
  return /^[`"]/.test(token) ? token.slice(1, -1) : token;
}
