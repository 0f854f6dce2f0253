/**
 * The second wall around a saved query, beside the grants of its reader: reads what the engine's own parser
 * and analyzer made of the text and names what is not allowed. Pure.
 */
import { allowedTableFunctions, deniedFunctions } from './guard-lists.ts';

interface Node {
  readonly depth: number;
  readonly text: string;
}

export const OWN_TABLES =
  'A query may only read the tables of its own project, named without a database in front.';

const OWN_SELECT =
  'A query is one SELECT statement, WITH and UNION included. Other statements are not accepted.';

/**
 * @param lines of `EXPLAIN AST`, one node each.
 * @returns a sentence for the author, or null when nothing is wrong.
 */
export function refusalOfAst(lines: readonly string[]): string | null {
  const nodes = lines.map(toNode);
  const root = nodes[0]?.text ?? '';
  if (!/^SelectWithUnionQuery\b/.test(root)) return OWN_SELECT;
  const atTop = nodes.filter((node) => node.depth === 1);
  if (atTop.some((node) => !node.text.startsWith('ExpressionList'))) {
    return 'A query must not end with INTO OUTFILE, FORMAT or SETTINGS: the service sets the output and the limits.';
  }
  for (const [index, node] of nodes.entries()) {
    const refusal = refusalOfNode(nodes, index, node);
    if (refusal !== null) return refusal;
  }
  return null;
}

function toNode(line: string): Node {
  const text = line.trimStart();
  return { depth: line.length - text.length, text };
}

function refusalOfNode(nodes: readonly Node[], index: number, node: Node): string | null {
  if (/^Set\b/.test(node.text)) {
    return 'A query must not have a SETTINGS clause: the service sets the limits.';
  }
  if (node.text.startsWith('ColumnsApplyTransformer')) {
    return 'APPLY is not accepted: write the functions out for each column.';
  }
  const called = /^Function (\S+)/.exec(node.text)?.[1];
  if (called !== undefined) {
    return parentOf(nodes, index, node).startsWith('TableExpression')
      ? refusalOfTableFunction(called)
      : refusalOfFunction(called);
  }
  // A function can be passed by its bare name, as in arrayMap(f, …); a column of that name must be qualified.
  const named = /^Identifier (\S+)/.exec(node.text)?.[1];
  return named === undefined ? null : refusalOfFunction(named);
}

function parentOf(nodes: readonly Node[], index: number, node: Node): string {
  for (let i = index - 1; i >= 0; i -= 1) {
    const candidate = nodes[i];
    if (candidate !== undefined && candidate.depth === node.depth - 1) return candidate.text;
  }
  return '';
}

function refusalOfFunction(name: string): string | null {
  const reason = deniedFunctions.get(name.toLowerCase());
  return reason === undefined ? null : `The function ${name} is not accepted: ${reason}.`;
}

function refusalOfTableFunction(name: string): string | null {
  if (allowedTableFunctions.has(name.toLowerCase())) return null;
  return `The table function ${name} is not accepted: a query reads the tables of its own project, and numbers, zeros, values or generate_series.`;
}

/** Where `SELECT 1` reads from. */
const NO_TABLE = 'system.one';

/**
 * @param lines of `EXPLAIN QUERY TREE`: every function and table that was resolved, by whatever name it was
 * written.
 * @param database the project's own.
 */
export function refusalOfQueryTree(lines: readonly string[], database: string): string | null {
  for (const line of lines) {
    const refusal = refusalOfResolved(line, database);
    if (refusal !== null) return refusal;
  }
  return null;
}

function refusalOfResolved(line: string, database: string): string | null {
  const called = /^ *FUNCTION id: \d+, function_name: ([^,]+),/.exec(line)?.[1];
  if (called !== undefined) return refusalOfFunction(called);
  const made = /^ *TABLE_FUNCTION id: \d+.*?\btable_function_name: ([^,]+)/.exec(line)?.[1];
  if (made !== undefined) return refusalOfTableFunction(made);
  const read = /^ *TABLE id: \d+.*?\btable_name: (.+)$/.exec(line)?.[1];
  const isOwn = read === undefined || read === NO_TABLE || read.startsWith(`${database}.`);
  return isOwn ? null : OWN_TABLES;
}
