/** Replaces a query's sources by pieces and keeps the rest as its author wrote it. */
import { requireStorable } from '../column-types.ts';
import { isRefusal, refuse } from '../refusal.ts';
import { hasVariable } from '../text/parameters.ts';
import { type ClauseName, parseSelect, renderSelect } from '../text/select.ts';
import { bracketDepths, closingBracketOf, isKeyword, type Tokens, textOf } from '../text/tokens.ts';
import { groupsPiece } from './groups-piece.ts';
import { mentionsCte } from './piece-columns.ts';
import { addPiece, ofResult, type Splitting, tableOf, written } from './pieces.ts';
import {
  isBracketed,
  isQuery,
  joinConditions,
  parseFrom,
  splitSetOperations,
} from './query-text.ts';
import { rowsPiece, sourcePiece } from './rows-piece.ts';
import { statesPiece } from './states-piece.ts';

/** Returns the text of the read and adds its pieces to the splitting. Throws Refusal. */
export async function splitQuery(tokens: Tokens, splitting: Splitting): Promise<string> {
  const whole = hasVariable(tokens) ? null : await resultPiece(tokens, splitting);
  if (whole !== null) return whole;
  const operands = splitSetOperations(tokens);
  const texts: string[] = [];
  for (const { operator, query } of operands) {
    const text = isBracketed(query)
      ? `(${await splitQuery(query.slice(1, -1), splitting)})`
      : await splitSelect(query, { splitting, isAlone: operands.length === 1 });
    texts.push(operator.length === 0 ? text : `${textOf(operator)} ${text}`);
  }
  return texts.join(' ');
}

/** Stores a standalone subquery as its result; null if it is not standalone. */
async function resultPiece(tokens: Tokens, splitting: Splitting): Promise<string | null> {
  const isOfTables = tokens.some((token) => isKeyword(token, 'FROM'));
  if (!isOfTables || mentionsCte(tokens, splitting)) return null;
  const storedQuery = textOf(tokens);
  try {
    const columns = await splitting.describe(storedQuery);
    requireStorable(columns);
    const piece = addPiece(splitting, { kind: 'result', storedQuery, columns });
    return `SELECT * FROM ${tableOf(piece)} AS ${ofResult}`;
  } catch (error) {
    if (isRefusal(error)) return null;
    throw error;
  }
}

const noFrom =
  'The query has a clause that cannot be materialized with variables where this one stands; write it in simpler terms.';

interface OneSelect {
  readonly splitting: Splitting;
  /** Whether it is not an operand of a UNION. */
  readonly isAlone: boolean;
}

async function splitSelect(tokens: Tokens, { splitting, isAlone }: OneSelect): Promise<string> {
  const depth = bracketDepths(tokens);
  // WITH FILL FROM and IS DISTINCT FROM start no clause.
  const froms = tokens.filter(
    (token, at) =>
      depth[at] === 0 && isKeyword(token, 'FROM') && !isKeyword(tokens[at - 1], 'FILL', 'DISTINCT'),
  );
  const select = parseSelect(tokens);
  if (froms.length > 1 || select.clauses.has('PREWHERE')) refuse(noFrom);
  if (isKeyword(select.clauses.get('WITH')?.[0], 'RECURSIVE')) refuse(noFrom);
  if (!isAlone && !hasVariable(tokens) && !select.clauses.has('WITH')) {
    const whole = await resultPiece(tokens, splitting);
    if (whole !== null) return whole;
  }
  const from = select.clauses.get('FROM');
  const isWhole = from !== undefined && !hasVariable(from);
  const split =
    (isWhole ? await groupsPiece({ select, tokens }, splitting) : null) ??
    (isWhole ? await statesPiece({ select, tokens }, splitting) : null) ??
    (isWhole ? await rowsPiece(select, splitting) : null);
  const clauses = new Map<ClauseName, Tokens>(split ?? select.clauses);
  const texts = new Map<ClauseName, string>();
  for (const [name, clause] of clauses) {
    const isSplit = name !== 'FROM' || split !== null;
    texts.set(
      name,
      isSplit
        ? await splitClause(clause, splitting)
        : await splitFrom({ from: clause, where: clauses.get('WHERE') ?? [] }, splitting),
    );
  }
  return renderSelect(texts);
}

/** Splits the clause's subqueries. */
async function splitClause(tokens: Tokens, splitting: Splitting): Promise<string> {
  const result: Tokens[number][] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token === undefined) continue;
    if (token.text !== '(' || !isQuery(tokens.slice(at + 1, at + 2))) {
      result.push(token);
      continue;
    }
    const end = closingBracketOf(tokens, at);
    const inner = await splitQuery(tokens.slice(at + 1, end), splitting);
    result.push(written(`(${inner})`, token.spaced));
    at = end;
  }
  return textOf(result);
}

interface SourcesOf {
  readonly from: Tokens;
  readonly where: Tokens;
}

/** Stores each table of FROM as its own piece. */
async function splitFrom({ from, where }: SourcesOf, splitting: Splitting): Promise<string> {
  const parsed = parseFrom(from);
  if (parsed === null) return refuse(noFrom);
  const result: Tokens[number][] = [];
  let behind = 0;
  const joined = joinConditions(from, parsed);
  for (const [at, source] of parsed.sources.entries()) {
    const on = joined[at] ?? [];
    const between = from.slice(behind, source.start);
    const own = from.slice(source.start, source.end);
    const table =
      source.kind === 'table'
        ? await sourcePiece({ source, tokens: own, where, on }, splitting)
        : null;
    const text = table ?? (await splitClause(own, splitting));
    result.push(written(await splitClause(between, splitting)), written(text));
    behind = source.end;
  }
  result.push(written(await splitClause(from.slice(behind), splitting)));
  return textOf(result.filter(({ text }) => text !== '')).trim();
}
