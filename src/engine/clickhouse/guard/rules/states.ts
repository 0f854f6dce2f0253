/**
 * Where a value of an AggregateFunction type may come from and go to. The engine does not validate the bytes of a
 * state: one that no aggregate function produced reads and writes foreign memory. So states are made by aggregate
 * functions, stored in tables, and passed unchanged through the functions below; nothing else. Pure.
 */
import { mayHoldState } from '../../../../sql/clickhouse-type.ts';
import { argumentsOf, attributeOf, type TreeNode } from '../../../../sql/query-tree.ts';
import { type LexedText, positionOfName } from '../parse/lexed-text.ts';
import { splitNames } from './split-names.ts';

/** Functions that make states from plain values, or combine states as the aggregate function itself does. */
const makers = new Set(
  splitNames(
    'initializeaggregation arrayreduce arrayreduceinranges bitmapbuild numericindexedvectorbuild',
  ),
);

/** Functions that return a state unchanged, alone or within an array, a tuple or a map. */
const passing = new Set(
  splitNames(`
  if multiif casewithoutexpression coalesce ifnull assumenotnull materialize identity tuple tupleelement array
  arrayelement arrayelementornull arrayconcat arraypushback arraypushfront arraypopback arraypopfront arrayslice
  arrayreverse arraymap arrayfilter arrayzip arrayjoin map mapvalues mapkeys mapfromarrays arrayfirst arraylast plus multiply
  bitmapsubsetinrange bitmapsubsetlimit subbitmap bitmaptransform bitmapand bitmapor bitmapxor bitmapandnot __actionname
  __getscalar`),
);

/** Functions that turn states into plain values. */
const finalizing = new Set(
  splitNames(`
  finalizeaggregation runningaccumulate arrayreduce arrayreduceinranges totypename tocolumntypename bytesize ignore
  isnull isnotnull length empty notempty isconstant blockserializedsize dumpcolumnstructure indexhint hex tojsonstring
  variantelement varianttype dynamictype tostring`),
);

/** Families of functions that work on states of their own aggregate function. */
const families = /^(?:bitmap|numericindexedvector)/;

function isState({ kind, attributes }: TreeNode): boolean {
  const label = kind === 'CONSTANT' ? /^.*constant_value_type: /s : /^.*?result_type: /s;
  return mayHoldState(attributes.replace(label, ''));
}

/**
 * @param node node of the resolved tree.
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
      : `The function ${written}${positionOfName(lexed, written)} does not accept the state of an aggregate function; pass the result, as in finalizeAggregation(state).`;
  }
  if (!isMade || makers.has(name)) return null;
  return `The function ${written}${positionOfName(lexed, written)} cannot create the state of an aggregate function; only the aggregate function itself can, as in uniqState(x).`;
}
