/**
 * Where a value of an AggregateFunction type may come from and go to. The engine does not check the bytes of such a state:
 * one that no aggregate function made reads and writes memory that is not its own. So states are made by aggregate
 * functions, stand in tables that hold them, and pass through the functions below unchanged; nothing else. Pure.
 */
import {
  argumentsOf,
  attributeOf,
  partOf,
  readQueryTree,
  type TreeNode,
} from '../../../../sql/query-tree.ts';
import { closeOf, isSymbol, type LexedText, nameAt, placeOfName } from '../3-tokens.ts';

function names(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

/** They make states of plain values, or put states together as the aggregate function itself does. */
const makers = names(
  'initializeaggregation arrayreduce arrayreduceinranges bitmapbuild numericindexedvectorbuild',
);

/** They give a state on as it is, alone or within an array, a tuple or a map. */
const passing = names(`
  if multiif casewithoutexpression coalesce ifnull assumenotnull materialize identity tuple tupleelement array
  arrayelement arrayelementornull arrayconcat arraypushback arraypushfront arraypopback arraypopfront arrayslice
  arrayreverse arraymap arrayfilter arrayzip arrayjoin map mapvalues mapkeys mapfromarrays arrayfirst arraylast plus multiply
  bitmapsubsetinrange bitmapsubsetlimit subbitmap bitmaptransform bitmapand bitmapor bitmapxor bitmapandnot __actionname
  __getscalar`);

/** They make plain values of states. */
const reading = names(`
  finalizeaggregation runningaccumulate arrayreduce arrayreduceinranges totypename tocolumntypename bytesize ignore
  isnull isnotnull length empty notempty isconstant blockserializedsize dumpcolumnstructure indexhint hex tojsonstring
  variantelement varianttype dynamictype tostring`);

/** Families whose functions work on states of one aggregate function of their own. */
const families = /^(?:bitmap|numericindexedvector)/;

const STATE = /(?<!Simple)AggregateFunction\(/;

function isState({ kind, attributes }: TreeNode): boolean {
  if (kind === 'CONSTANT') return STATE.test(attributes.replace(/^.*constant_value_type: /s, ''));
  return STATE.test(attributes.replace(/^.*?result_type: /s, ''));
}

/**
 * @param node of the resolved tree.
 * @returns a sentence for the author, or null when nothing is wrong.
 */
export function refusalOfState(node: TreeNode, lexed: LexedText): string | null {
  if (node.kind !== 'FUNCTION') return null;
  const written = attributeOf(node, 'function_name');
  if (attributeOf(node, 'function_type') !== 'ordinary') return null;
  const name = written.toLowerCase();
  if (families.test(name)) return null;
  const isMade = isState(node);
  // Looked for only where there is something to say: it reads every token.
  const place = () => placeOfName(lexed, written);
  if (argumentsOf(node).some(isState)) {
    const isKnown = isMade
      ? passing.has(name) || makers.has(name)
      : passing.has(name) || reading.has(name);
    return isKnown
      ? null
      : `The function ${written}${place()} does not take the state of an aggregate function; ${FINALIZE}.`;
  }
  if (!isMade || makers.has(name) || passing.has(name)) return null;
  return `The function ${written}${place()} cannot make the state of an aggregate function; only the function itself can, as uniqState(x).`;
}

const FINALIZE = 'give it the result, as finalizeAggregation(state)';

/**
 * Between rows the engine converts whatever it is told to fill a column with, and does so while it resolves the text. So a
 * text with INTERPOLATE is looked at without it first.
 *
 * @param lines of the resolved tree of the text without its INTERPOLATE clauses, before unused columns are left out.
 */
export function refusalOfFilling(lines: readonly string[], lexed: LexedText): string | null {
  const nodes = readQueryTree(lines);
  // A SELECT whose value is a state is not shown.
  const isHidden = lines.some((line) => STATE.test(line) && line.includes('__getScalar'));
  if (nodes !== null && !isHidden && !nodes.some(isFilledWithStates)) return null;
  const place = placeOfName(lexed, 'interpolate');
  return `INTERPOLATE${place} is not accepted in a query that selects states of aggregate functions: finalize them first, as finalizeAggregation(state).`;
}

/** Which of the fillings had the clause is not known any more. */
function isFilledWithStates(query: TreeNode): boolean {
  const isFilled = partOf(query, 'ORDER BY').some(({ attributes }) =>
    /\bwith_fill: 1\b/.test(attributes),
  );
  return isFilled && partOf(query, 'PROJECTION COLUMNS').some(({ kind }) => STATE.test(kind));
}

/** The statement without its INTERPOLATE (…) clauses; null when it has none that gives a value. */
export function withoutInterpolate({ sql, tokens }: LexedText): string | null {
  const lexed = { sql, tokens };
  let text = '';
  let at = 0;
  for (const [index, token] of tokens.entries()) {
    const isClause =
      nameAt(lexed, index).toLowerCase() === 'interpolate' && isSymbol(lexed, index + 1, '(');
    if (!isClause || token.kind !== 'word' || token.start < at) continue;
    const end = tokens[closeOf(lexed, index + 1)]?.end;
    if (end === undefined) return null;
    text += `${sql.slice(at, token.start)} `;
    at = end;
  }
  return at === 0 ? null : text + sql.slice(at);
}
