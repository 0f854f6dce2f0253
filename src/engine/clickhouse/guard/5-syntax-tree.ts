/**
 * The walls around a saved query that stand beside the grants of its reader: they read what the engine's own
 * parser, and then its analyzer, made of the text, and name what is not allowed. Pure.
 */
import {
  isSymbol,
  type LexedText,
  nameAt,
  placeOfName,
  placeWhere,
  UNREADABLE,
} from './3-tokens.ts';
import { readSyntaxLines, type SyntaxNode } from './parse/syntax-tree.ts';
import {
  allowedTableFunctions,
  takesFunctions,
  whyNotCalled,
  whyNotRead,
  whyNotResolved,
} from './rules/functions.ts';

export const OWN_TABLES =
  'A query may only read the tables of its own project, named without a database in front.';

function ownSelect(text: LexedText): string {
  const first = nameAt(text, 0).toUpperCase();
  const begins =
    first === '' ? '' : ` This one begins with ${first}${placeWhere(text, (_, at) => at === 0)}.`;
  return `A query is one SELECT statement, WITH and UNION included. Other statements are not accepted.${begins}`;
}

/** What a SELECT is made of. Anything else the parser may know is refused until it has been judged. */
const knownKinds: ReadonlySet<string> = new Set(
  (
    'SelectWithUnionQuery SelectIntersectExceptQuery SelectQuery Subquery WithElement ExpressionList Function Identifier ' +
    'Literal DataType NameTypePair TablesInSelectQuery TablesInSelectQueryElement TableExpression TableIdentifier TableJoin ' +
    'ArrayJoin SampleRatio OrderByElement InterpolateElement WindowDefinition WindowListElement Asterisk QualifiedAsterisk ' +
    'ColumnsRegexpMatcher ColumnsListMatcher QualifiedColumnsRegexpMatcher QualifiedColumnsListMatcher ' +
    'ColumnsTransformerList ColumnsApplyTransformer ColumnsExceptTransformer ColumnsReplaceTransformer ColumnsReplaceTransformer::Replacement'
  ).split(' '),
);

/**
 * @param lines of `EXPLAIN AST`.
 * @param database the project's own.
 * @returns a sentence for the author, or null when nothing is wrong.
 */
export function refusalOfAst(
  lines: readonly string[],
  database: string,
  text: LexedText,
): string | null {
  if (!/^SelectWithUnionQuery\b/.test(lines[0] ?? '')) return ownSelect(text);
  const nodes = readSyntaxLines(lines);
  if (nodes === null) return UNREADABLE;
  const atTop = nodes[0]?.children ?? [];
  if (atTop.some((node) => node.kind !== 'ExpressionList')) {
    return `A query must not end with INTO OUTFILE, FORMAT or SETTINGS: the service sets the output and the limits. ${found(text, /^(settings|format|into)$/i)}`.trim();
  }
  for (const node of nodes) {
    const refusal = refusalOfNode(node, text) ?? refusalOfTable(node, database, text);
    if (refusal !== null) return refusal;
  }
  return null;
}

function found(text: LexedText, word: RegExp): string {
  let last = '';
  for (const index of text.tokens.keys()) {
    if (!word.test(nameAt(text, index))) continue;
    last = placeWhere(text, (_text, at) => at === index);
  }
  return last === '' ? '' : `It stands${last}.`;
}

function refusalOfNode(node: SyntaxNode, text: LexedText): string | null {
  if (node.kind === 'Set') {
    return `A query must not have a SETTINGS clause: the service sets the limits. ${found(text, /^settings$/i)}`.trim();
  }
  if (!knownKinds.has(node.kind)) {
    return `A query is a plain SELECT; ${node.kind} in it is not accepted.`;
  }
  if (node.kind === 'Function') return refusalOfCalled(node, text);
  return node.kind === 'Identifier' ? refusalOfIdentifier(node, text) : null;
}

/** Says the same of a table that exists and of one that does not. */
function refusalOfTable(node: SyntaxNode, database: string, text: LexedText): string | null {
  const named = /^TableIdentifier ([^.]+)\./.exec(node.text)?.[1];
  if (named === undefined || named === database || /^TableIdentifier system\.one\b/.test(node.text))
    return null;
  // A table may have a dot in its own name; then no word before a dot is a database.
  const place = placeWhere(
    text,
    (given, index) => nameAt(given, index) === named && isSymbol(given, index + 1, '.'),
  );
  return place === '' ? null : `${OWN_TABLES} This one names another database${place}.`;
}

function refusalOfCalled(node: SyntaxNode, text: LexedText): string | null {
  const name = /^Function (\S+)/.exec(node.text)?.[1] ?? '';
  return node.parent?.kind === 'TableExpression'
    ? refusalOfTableFunction(name, text)
    : refusalOfFunction(name, whyNotCalled(name), text);
}

/** A function can be passed by its bare name, as in arrayMap(f, …). */
function refusalOfIdentifier(node: SyntaxNode, text: LexedText): string | null {
  const taker = /^Function (\S+)/.exec(node.parent?.parent?.text ?? '')?.[1];
  if (taker === undefined || !takesFunctions.has(taker.toLowerCase())) return null;
  const name = /^Identifier (\S+)/.exec(node.text)?.[1] ?? '';
  const refusal = refusalOfFunction(name, whyNotCalled(name), text);
  return refusal === null
    ? null
    : `${refusal} If it is a column, write its table and a dot in front.`;
}

function refusalOfFunction(name: string, reason: string | null, text: LexedText): string | null {
  if (reason === null) return null;
  return `The function ${name}${placeOfName(text, name)} is not accepted: ${reason}.`;
}

function refusalOfTableFunction(name: string, text: LexedText): string | null {
  const reason = whyNotRead(name);
  if (reason === null) return null;
  const accepted = [...allowedTableFunctions.keys()].join(', ');
  return `The table function ${name}${placeOfName(text, name)} is not accepted: ${reason}. A query reads the tables of its own project; table functions that it may use: ${accepted}.`;
}

/** Where `SELECT 1` reads from, and what the engine makes for the length of a recursive query. */
const ENGINES_OWN = /^(?:system\.one|_temporary_and_external_tables\._tmp_[\w-]+)$/;

/**
 * @param lines of `EXPLAIN QUERY TREE`: every function and table that was resolved, by whatever name it was
 * written.
 * @param database the project's own.
 */
export function refusalOfQueryTree(
  lines: readonly string[],
  database: string,
  text: LexedText,
): string | null {
  if (!/^(QUERY|UNION) id: 0\b/.test(lines[0] ?? '')) return UNREADABLE;
  for (const line of lines) {
    const refusal = refusalOfResolved(line, database, text);
    if (refusal !== null) return refusal;
  }
  return null;
}

/** All that a line says counts: a type in it may hold words of the author's. */
function refusalOfResolved(line: string, database: string, text: LexedText): string | null {
  const kind = /^ *(FUNCTION|TABLE_FUNCTION|TABLE) id: \d+/.exec(line)?.[1];
  if (kind === undefined) return null;
  const attribute = { FUNCTION: 'function_name', TABLE_FUNCTION: 'table_function_name' }[kind];
  const pattern = new RegExp(`\\b${attribute ?? 'table_name'}: ([^,]+)`, 'g');
  const names = [...line.matchAll(pattern)].map((match) => match[1] ?? '');
  if (names.length === 0) return UNREADABLE;
  for (const name of names) {
    const refusal = refusalOfKind(kind, { name, database, text });
    if (refusal !== null) return refusal;
  }
  return null;
}

interface Resolved {
  readonly name: string;
  readonly database: string;
  readonly text: LexedText;
}

function refusalOfKind(kind: string, { name, database, text }: Resolved): string | null {
  if (kind === 'FUNCTION') return refusalOfFunction(name, whyNotResolved(name), text);
  if (kind === 'TABLE_FUNCTION') return refusalOfTableFunction(name, text);
  const isOwn = ENGINES_OWN.test(name) || name.startsWith(`${database}.`);
  return isOwn ? null : OWN_TABLES;
}
