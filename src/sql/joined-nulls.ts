/**
 * Whether a JOIN compares something with a value that is NULL for some variables or rows: that of a function, as in
 * `b.plan = nullIf({plan:String}, '')`, or the one value of a subquery, which may find no row. Pure.
 */
import { LRUCache } from 'lru-cache';
import { lexSql } from './sql-lexer.ts';

const BEHIND_ON =
  /^(?:where|prewhere|group|having|order|limit|offset|window|qualify|union|intersect|except|settings|join|using)$/i;
/** Before a subquery that is a set or a table. */
const OF_ROWS = /^(?:in|exists|any|all|some|from|join|as)$/i;
const MAY_BE_NULL = /\bselect\b.*\bselect\b|null|\bcase\b|\bdictget|\bdynamic|\bvariant|\bjson\b/is;

/** Every read asks. */
const known = new LRUCache<string, boolean>({ max: 2000, maxSize: 16_777_216, sizeCalculation });

function sizeCalculation(_found: boolean, sql: string): number {
  return 2 * sql.length + 100;
}

export function mayJoinNull(sql: string): boolean {
  if (!MAY_BE_NULL.test(sql)) return false;
  const found = known.get(sql) ?? search(sql);
  known.set(sql, found);
  return found;
}

function search(sql: string): boolean {
  const tokens = lexSql(sql).map(({ start, end }) => sql.slice(start, end));
  const names = namesIn(tokens);
  // The depth of each ON that has not ended.
  let open: number[] = [];
  let depth = 0;
  for (const [at, token] of tokens.entries()) {
    if (open.length > 0) {
      if (isNull(tokens, at) || isValue(tokens, at)) return true;
      if (isNamed(tokens, at, names)) return true;
    }
    if (token === '(') depth += 1;
    if (token === ')') depth -= 1;
    const isKeyword = tokens[at - 1] !== '.';
    const ends = isKeyword && BEHIND_ON.test(token);
    open = open.filter((own) => depth > own || (depth === own && !ends));
    if (isKeyword && /^on$/i.test(token)) open.push(depth);
  }
  return false;
}

type Texts = readonly string[];

/** A type whose values may be NULL, as a text, as in `JSONExtract(s, 'plan', 'Nullable(String)')`. */
const NAMED_TYPE = /^'.*(?:Nullable\(|Variant\(|Dynamic\b|JSON\b)/s;
const NULLABLE = /^(?:(?:to)?nullable|dynamic|variant|json)$/i;
/** An attribute of a dictionary may be Nullable. */
const OR_NULL = /^(?:nullif|.*ornull|dictget.*|(?:variant|dynamic)element)$/i;

/** Not of `IS NULL`, which is never NULL. */
function isNull(tokens: Texts, at: number): boolean {
  const token = tokens[at] ?? '';
  if (/^null$/i.test(token)) return !/^(?:is|not)$/i.test(tokens[at - 1] ?? '');
  if (/^case$/i.test(token)) return !hasElse(tokens, at);
  if (NAMED_TYPE.test(token)) return true;
  const name = unquoted(token);
  if (NULLABLE.test(name)) return !isTypeOfVariable(tokens, at) && tokens[at - 1] !== '.';
  return tokens[at + 1] === '(' && OR_NULL.test(name);
}

/** Whether the CASE has an ELSE of its own. */
function hasElse(tokens: Texts, from: number): boolean {
  let depth = 0;
  for (const token of tokens.slice(from)) {
    if (/^case$/i.test(token)) depth += 1;
    if (/^end$/i.test(token)) depth -= 1;
    if (depth === 0) return false;
    if (depth === 1 && /^else$/i.test(token)) return true;
  }
  return false;
}

/** As in `{plan:Nullable(String)}` and `{plan:LowCardinality(Nullable(String))}`, of which the value tells. */
function isTypeOfVariable(tokens: Texts, at: number): boolean {
  if (!/^nullable$/i.test(tokens[at] ?? '')) return false;
  const isWrapped = /^lowcardinality$/i.test(tokens[at - 2] ?? '');
  const colon = at - (isWrapped ? 3 : 1);
  return tokens[colon] === ':' && tokens[colon - 2] === '{';
}

/** Whether a subquery is one value. */
function isValue(tokens: Texts, at: number): boolean {
  return isQuery(tokens, at) && !OF_ROWS.test(tokens[at - 1] ?? '');
}

function isQuery(tokens: Texts, at: number): boolean {
  return tokens[at] === '(' && /^(?:select|with)$/i.test(tokens[at + 1] ?? '');
}

/** Names of expressions that may be NULL, also through another name. */
function namesIn(tokens: Texts): ReadonlySet<string> {
  let names: ReadonlySet<string> = new Set();
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const found = namesBy(tokens, names);
    if (found.size === names.size) break;
    names = found;
  }
  return names;
}

/** An expression may use a name that is given behind it. */
const MAX_PASSES = 4;
const BETWEEN_EXPRESSIONS = /^(?:,|select|with|distinct|from|on)$/i;

function namesBy(tokens: Texts, known: ReadonlySet<string>): ReadonlySet<string> {
  const names = new Set<string>();
  const outer: { readonly mayBe: boolean; readonly isRows: boolean; readonly at: number }[] = [];
  // Whether what is read so far of an expression may be NULL.
  let mayBe = false;
  for (const [at, token] of tokens.entries()) {
    const inside = outer.at(-1);
    if (/^[([{]$/.test(token)) {
      outer.push({ mayBe, isRows: isQuery(tokens, at), at });
      mayBe = false;
    } else if (/^[)\]}]$/.test(token)) {
      outer.pop();
      const isOwn: boolean = inside?.isRows ? isValue(tokens, inside.at) : mayBe;
      mayBe = isOwn || inside?.mayBe === true;
    } else if (BETWEEN_EXPRESSIONS.test(token) && inside?.isRows !== false) {
      mayBe = false;
    } else if (isNull(tokens, at) || isNamed(tokens, at, known)) mayBe = true;
    const name = mayBe ? nameBehind(tokens, at) : null;
    if (name !== null) names.add(name);
  }
  return names;
}

/** The name that an expression gets behind this token. */
function nameBehind(tokens: Texts, at: number): string | null {
  const [token = '', next = '', last = ''] = tokens.slice(at, at + 3);
  if (/^as$/i.test(token)) return unquoted(next);
  const isWritten = /^(?:[)\]}]|end)$/i.test(token) && /^(?:,|from)$/i.test(last);
  return isWritten && /^[\w`"]/.test(next) ? unquoted(next) : null;
}

/** Whether one of the names stands there, not a column of a table. `found.1` is an element of a named tuple. */
function isNamed(tokens: Texts, at: number, names: ReadonlySet<string>): boolean {
  if (!names.has(unquoted(tokens[at] ?? '')) || tokens[at - 1] === '.') return false;
  return tokens[at + 1] !== '.' || /^\d/.test(tokens[at + 2] ?? '');
}

function unquoted(token: string): string {
  return /^[`"]/.test(token) ? token.slice(1, -1) : token;
}
