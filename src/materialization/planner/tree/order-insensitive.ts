/** Functions whose results do not depend on the order of rows, or of an array's elements. */
import { QUANTILE } from '../text/aggregates.ts';
import { hasPart, type Node, partOf } from './canonical-node.ts';

/** argMin and argMax may take any row among ties: the query leaves that undefined. */
const orderInsensitive = new Set(
  (
    'count sum sumCount sumKahan sumWithOverflow sumMapFiltered sumMapFilteredWithOverflow sumMapWithOverflow ' +
    'sumMappedArrays minMappedArrays maxMappedArrays min max avg avgWeighted argMin argMax argAndMin argAndMax ' +
    'uniq uniqExact uniqCombined uniqCombined64 uniqHLL12 uniqUpTo uniqTheta groupBitAnd groupBitOr groupBitXor groupBitmap ' +
    'groupBitmapAnd groupBitmapOr groupBitmapXor groupArraySorted varPop varSamp varPopStable varSampStable stddevPop ' +
    'stddevSamp stddevPopStable stddevSampStable covarPop covarSamp covarPopStable covarSampStable covarPopMatrix ' +
    'covarSampMatrix corr corrStable corrMatrix skewPop skewSamp kurtPop kurtSamp entropy simpleLinearRegression retention ' +
    'windowFunnel singleValueOrNull intervalLengthSum maxIntersections ' +
    'maxIntersectionsPosition rankCorr mannWhitneyUTest studentTTest studentTTestOneSample welchTTest ' +
    'meanZTest analysisOfVariance kolmogorovSmirnovTest cramersV cramersVBiasCorrected theilsU contingency ' +
    'categoricalInformationValue distinctDynamicTypes distinctJSONPaths distinctJSONPathsAndTypes nothing nothingNull ' +
    'nothingUInt64 quantilePrometheusHistogram quantilesPrometheusHistogram'
  ).split(' '),
);

/** @param base without combinators. */
export function isOrderInsensitive(base: string): boolean {
  return orderInsensitive.has(base) || QUANTILE.test(base);
}

/** Aggregates that make an array of rows. */
export const arrayAggregates = new Set(['groupArray', 'groupUniqArray', 'groupArrayIntersect']);

/** Functions that ignore the order of an array, and functions that preserve its values. */
const orderInsensitiveWrappers = new Set(
  (
    'arraySort arrayReverseSort length arrayUniq has hasAny hasAll arrayMin arrayMax arraySum arrayCount arrayExists arrayAll ' +
    'empty notEmpty'
  ).split(' '),
);
const orderPreserving = new Set(['arrayDistinct', 'arrayFilter', 'arrayFlatten', 'arrayMap']);

/**
 * Whether a function around an array makes the order of its elements irrelevant.
 *
 * @param around the enclosing functions, innermost first.
 */
export function isSorted(around: readonly Node[]): boolean {
  const at = ignoringOrder(around.map(({ name }) => name));
  if (at === null) return false;
  const isByKey = around[at]?.name.endsWith('Sort') && argumentsOf(around[at]).length > 1;
  return !isByKey && around.slice(0, at + 1).every(takesOneArray);
}

const argumentsOf = (call: Node) => partOf(call, 'ARGUMENTS');

/** Whether it combines the elements with none of another array, except with those of the same rows. */
function takesOneArray(call: Node): boolean {
  if (call.name.startsWith('has')) return true;
  const arrays = argumentsOf(call).filter(({ kind }) => kind !== 'LAMBDA');
  return arrays.length === 1 || arrays.every(hasElementOfEveryRow);
}

/** NULL makes no element. */
function hasElementOfEveryRow(array: Node): boolean {
  const [value] = argumentsOf(array);
  const isWhole = array.name === 'groupArray' && !hasPart(array, 'PARAMETERS');
  return isWhole && value !== undefined && !/Nullable|Variant|Dynamic|^$/.test(value.type);
}

/**
 * The index of the function that makes the order of an array's elements irrelevant, or null.
 *
 * @param around names of the enclosing functions, innermost first.
 */
export function ignoringOrder(around: readonly string[]): number | null {
  const at = around.findIndex((name) => !orderPreserving.has(name));
  return orderInsensitiveWrappers.has(around[at] ?? '') ? at : null;
}
