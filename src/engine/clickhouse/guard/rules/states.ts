/**
 * Where a value of an AggregateFunction type may come from and go to. The engine does not validate the bytes of such a state:
 * one that no aggregate function made reads and writes memory that is not its own. So states are made by aggregate
 * functions, are stored in tables, and pass through the functions below unchanged; nothing else. Pure.
 */
import { argumentsOf, attributeOf, type TreeNode } from '../../../../sql/query-tree.ts';
import { type LexedText, positionOfName } from '../parse/lexed-text.ts';
import { splitNames } from './split-names.ts';

/** They make states of plain values, or combine states as the aggregate function itself does. */
const makers = new Set(
  splitNames(
    'initializeaggregation arrayreduce arrayreduceinranges bitmapbuild numericindexedvectorbuild',
  ),
);

/** They return a state as it is, alone or within an array, a tuple or a map. */
const passing = new Set(
  splitNames(`
  if multiif casewithoutexpression coalesce ifnull assumenotnull materialize identity tuple tupleelement array
  arrayelement arrayelementornull arrayconcat arraypushback arraypushfront arraypopback arraypopfront arrayslice
  arrayreverse arraymap arrayfilter arrayzip arrayjoin map mapvalues mapkeys mapfromarrays arrayfirst arraylast plus multiply
  bitmapsubsetinrange bitmapsubsetlimit subbitmap bitmaptransform bitmapand bitmapor bitmapxor bitmapandnot __actionname
  __getscalar`),
);

/** They make plain values of states. */
const finalizing = new Set(
  splitNames(`
  finalizeaggregation runningaccumulate arrayreduce arrayreduceinranges totypename tocolumntypename bytesize ignore
  isnull isnotnull length empty notempty isconstant blockserializedsize dumpcolumnstructure indexhint hex tojsonstring
  variantelement varianttype dynamictype tostring`),
);

/** Families whose functions work on states of one aggregate function of their own. */
const families = /^(?:bitmap|numericindexedvector)/;

export const STATE = /(?<!Simple)AggregateFunction\(/;

function isState({ kind, attributes }: TreeNode): boolean {
  const label = kind === 'CONSTANT' ? /^.*constant_value_type: /s : /^.*?result_type: /s;
  return STATE.test(attributes.replace(label, ''));
}

/**
 * @param node of the resolved tree.
 * @returns a sentence for the author, or null when the node is accepted.
 */
export function refusalOfState(node: TreeNode, lexed: LexedText): string | null {
  if (node.kind !== 'FUNCTION' || attributeOf(node, 'function_type') !== 'ordinary') return null;
  const written = attributeOf(node, 'function_name');
  const name = written.toLowerCase();
  if (families.test(name) || passing.has(name)) return null;
  const isMade = isState(node);
  if (argumentsOf(node).some(isState)) {
    return (isMade ? makers : finalizing).has(name)
      ? null
      : `The function ${written}${positionOfName(lexed, written)} does not take the state of an aggregate function; give it the result, as finalizeAggregation(state).`;
  }
  if (!isMade || makers.has(name)) return null;
  return `The function ${written}${positionOfName(lexed, written)} cannot make the state of an aggregate function; only the function itself can, as uniqState(x).`;
}
