/**
 * Checks what the engine's parser made of a text: one SELECT of known clauses, own tables and accepted functions. Pure.
 */
import type { ProjectPlace } from '../../project-place.ts';
import { onlyTables } from '../errors/safe-message.ts';
import {
  isSymbol,
  type LexedText,
  nameAt,
  positionOfName,
  positionOfToken,
  positionWhere,
  UNREADABLE,
} from './parse/lexed-text.ts';
import { readSyntaxLines, type SyntaxNode } from './parse/syntax-tree.ts';
import {
  allowedTableFunctions,
  takesFunctions,
  UNLISTED,
  whyNotCalled,
  whyNotRead,
} from './rules/functions.ts';

/** Node kinds that a SELECT may consist of. Any other is refused until somebody has reviewed it. */
const acceptedKinds: ReadonlySet<string> = new Set(
  (
    'SelectWithUnionQuery SelectIntersectExceptQuery SelectQuery Subquery WithElement ExpressionList Function Identifier ' +
    'Literal DataType NameTypePair TablesInSelectQuery TablesInSelectQueryElement TableExpression TableIdentifier TableJoin ' +
    'ArrayJoin SampleRatio OrderByElement InterpolateElement WindowDefinition WindowListElement Asterisk QualifiedAsterisk ' +
    'ColumnsRegexpMatcher ColumnsListMatcher QualifiedColumnsRegexpMatcher QualifiedColumnsListMatcher ' +
    'ColumnsTransformerList ColumnsApplyTransformer ColumnsExceptTransformer ColumnsReplaceTransformer ColumnsReplaceTransformer::Replacement'
  ).split(' '),
);

/**
 * @param lines output of `EXPLAIN AST`.
 * @param place the project's databases.
 * @returns a sentence for the author, or null when the tree is accepted.
 */
export function refusalOfSyntaxTree(
  lines: readonly string[],
  place: ProjectPlace,
  text: LexedText,
): string | null {
  if (!/^SelectWithUnionQuery\b/.test(lines[0] ?? '')) return notOneSelect(text);
  const nodes = readSyntaxLines(lines);
  if (nodes === null) return UNREADABLE;
  const atTop = nodes[0]?.children ?? [];
  if (atTop.some((node) => node.kind !== 'ExpressionList')) {
    return `A query must not end with INTO OUTFILE, FORMAT or SETTINGS: the service sets the output and the limits. ${lastOf(text, /^(settings|format|into)$/i)}`.trim();
  }
  for (const node of nodes) {
    const refusal = refusalOfNode(node, place, text) ?? refusalOfTable(node, place, text);
    if (refusal !== null) return refusal;
  }
  return null;
}

/** Whether the project's queries may name the database. They may not name the one of stored tables. */
export function isReadable({ databases }: ProjectPlace, database: string): boolean {
  return databases.includes(database);
}

export function onlyTablesOf({ isBound, databases }: ProjectPlace): string {
  return isBound ? onlyTables(databases) : onlyTables();
}

function notOneSelect(text: LexedText): string {
  const first = nameAt(text, 0).toUpperCase();
  const begins =
    first === ''
      ? ''
      : ` This one starts with ${first}${positionWhere(text, (_, at) => at === 0)}.`;
  return `A query must be one SELECT statement, which may use WITH and UNION. Other statements are not accepted.${begins}`;
}

/** The position of the last match, as a sentence. */
function lastOf(text: LexedText, word: RegExp): string {
  const last = [...text.tokens.keys()].findLast((index) => word.test(nameAt(text, index)));
  return last === undefined ? '' : `It stands${positionOfToken(text, last)}.`;
}

function refusalOfNode(node: SyntaxNode, place: ProjectPlace, text: LexedText): string | null {
  if (node.kind === 'Set') {
    return `A query must not have a SETTINGS clause: the service sets the limits. ${lastOf(text, /^settings$/i)}`.trim();
  }
  if (!acceptedKinds.has(node.kind)) {
    return `A query must be a plain SELECT; ${node.kind} is not accepted.`;
  }
  if (node.kind === 'Function') return refusalOfCalled(node, place, text);
  return node.kind === 'Identifier' ? refusalOfIdentifier(node, text) : null;
}

/** The message is the same whether or not the table exists. */
function refusalOfTable(node: SyntaxNode, place: ProjectPlace, text: LexedText): string | null {
  const named = /^TableIdentifier ([^.]+)\./.exec(node.text)?.[1];
  if (named === undefined || isReadable(place, named)) return null;
  if (/^TableIdentifier system\.one\b/.test(node.text)) return null;
  // If the table's own name contains a dot, no token before a dot is a database.
  const position = positionWhere(
    text,
    (given, index) => nameAt(given, index) === named && isSymbol(given, index + 1, '.'),
  );
  return position === ''
    ? null
    : `${onlyTablesOf(place)} This one names another database${position}.`;
}

function refusalOfCalled(node: SyntaxNode, place: ProjectPlace, text: LexedText): string | null {
  const name = /^Function (\S+)/.exec(node.text)?.[1] ?? '';
  return node.parent?.kind === 'TableExpression'
    ? refusalOfTableFunction(name, text)
    : refusalOfFunction(name, whyNotCalled(name, place.dictionaries), text);
}

/** A function can be passed by its bare name as the first argument, as in arrayMap(f, …). */
function refusalOfIdentifier(node: SyntaxNode, text: LexedText): string | null {
  const taker = /^Function (\S+)/.exec(node.parent?.parent?.text ?? '')?.[1];
  if (taker === undefined || !takesFunctions.has(taker.toLowerCase())) return null;
  if (node.parent?.children[0] !== node) return null;
  const name = /^Identifier (\S+)/.exec(node.text)?.[1] ?? '';
  const refusal = refusalOfFunction(name, whyNotCalled(name), text);
  return refusal === null ? null : `${refusal} If it is a column, qualify it with its table.`;
}

export function refusalOfFunction(
  name: string,
  reason: string | null,
  text: LexedText,
): string | null {
  if (reason === null) return null;
  return `The function ${name}${positionOfName(text, name)} is not accepted: ${reason}.`;
}

export function refusalOfTableFunction(name: string, text: LexedText): string | null {
  const reason = whyNotRead(name);
  if (reason === null) return null;
  const accepted = [...allowedTableFunctions].join(', ');
  const ofView =
    reason === UNLISTED
      ? ' In place of a view with parameters, write its query as a subquery.'
      : '';
  return `The table function ${name}${positionOfName(text, name)} is not accepted: ${reason}. A query reads the tables of its project; accepted table functions: ${accepted}.${ofView}`;
}
