/**
 * The functions of the engine's mixed categories that a query may call, each judged on its own; and those of
 * the harmless categories whose names only sound like more.
 */

/** Categories whose functions only compute with the values they are given. */
export const harmlessCategories: ReadonlySet<string> = new Set([
  'Aggregate Functions',
  'Arithmetic',
  'Arrays',
  'Bit',
  'Bitmap',
  'Comparison',
  'Conditional',
  'Dates and Times',
  'Distance',
  'Encoding',
  'Encryption',
  'Financial',
  'Geo',
  'Geo Polygon',
  'Hash',
  'IP Address',
  'JSON',
  'Logical',
  'Map',
  'Mathematical',
  'Null',
  'NumericIndexedVector',
  'QBit',
  'Random Number',
  'Rounding',
  'String',
  'String Replacement',
  'String Search',
  'String Splitting',
  'Time Series',
  'Time Window',
  'Tuple',
  'Type Conversion',
  'UUID',
  'URL',
]);

function names(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/** What a query may call, by the reason for it. */
const judged: Readonly<Record<string, readonly string[]>> = {
  'names what follows from the project’s id, and the time the query began': names(`
    currentDatabase currentSchemas currentUser authenticatedUser initialQueryStartTime`),
  'computes with its arguments': names(`
    MACNumToString MACStringToNum MACStringToOUI bar colorOKLABToSRGB colorOKLCHToSRGB colorSRGBToOKLAB
    colorSRGBToOKLCH countDigits digits flipCoordinates formatReadableDecimalSize formatReadableQuantity
    formatReadableSize formatReadableTimeDelta icebergBucket icebergTruncate identity ignore isDecimalOverflow
    materialize minSampleSizeContinuous minSampleSizeConversion parseReadableSize parseReadableSizeOrNull
    parseReadableSizeOrZero parseTimeDelta partitionId transform visibleWidth nested validateNestedArraySizes
    caseWithExpression _CAST indexHint generateRandomStructure errorCodeToName`),
  'tells about the values and types of the query itself': names(`
    blockSerializedSize blockSize blockNumber byteSize defaultValueOfArgumentType defaultValueOfTypeName
    dumpColumnStructure getSizeOfEnumType getSubcolumn getTypeSerializationStreams isConstant
    lowCardinalityIndices lowCardinalityKeys rowNumberInAllBlocks rowNumberInBlock toColumnTypeName toTypeName
    variantElement variantType`),
  'works on rows that the query has': names(`
    neighbor runningAccumulate runningConcurrency runningDifference runningDifferenceStartingWithFirstValue
    finalizeAggregation initializeAggregation`),
  'reads a text as SQL and runs nothing': names(`
    formatQuery formatQueryOrNull formatQuerySingleLine formatQuerySingleLineOrNull highlightQuery
    normalizeQuery normalizeQueryKeepNames normalizedQueryHash normalizedQueryHashKeepNames tokenizeQuery`),
  'fails on purpose, with the author’s words': names('throwIf'),
  'parses the name of a part that it is given': names('isMergeTreePartCoveredBy mergeTreePartInfo'),
  'learns from the rows of the query': names(
    'stochasticLinearRegression stochasticLogisticRegression',
  ),
};

export const judgedFunctions: ReadonlySet<string> = new Set(Object.values(judged).flat());

/** A new function of a harmless category with such a name is looked at before it is believed. */
export const soundsLikeMore =
  /file|disk|path|host|server|port|user|role|profile|setting|macro|sleep|wait|dict|join|table|database|column|query|thread|process|env|http|remote|cluster|version|build|uptime|cert|key|secret|credential|log|trace|eval|exec|model|keeper|cache|config|schema|memory|system/i;

/** They are about texts, keys of maps, joins of arrays, logarithms and the like. */
export const onlySoundLikeMore: ReadonlySet<string> = new Set(
  names(`
    JSONAllPaths JSONAllPathsWithTypes JSONDynamicPaths JSONDynamicPathsWithTypes JSONExtractKeys
    JSONExtractKeysAndValues JSONExtractKeysAndValuesCaseInsensitive JSONExtractKeysAndValuesRaw
    JSONExtractKeysAndValuesRawCaseInsensitive JSONExtractKeysCaseInsensitive JSONKey JSONSharedDataPaths
    JSONSharedDataPathsWithTypes JSON_QUERY URLPathHierarchy arrayJoin bitmapBuild corrStable covarPopStable
    covarSampStable cutQueryString cutQueryStringAndFragment distinctJSONPaths distinctJSONPathsAndTypes
    extractKeyValuePairs extractKeyValuePairsWithEscaping log log10 log1p log2 mapContainsKey
    mapContainsKeyLike mapExtractKeyLike mapKeys naturalSortKey numericIndexedVectorBuild path pathFull port
    portRFC proportionsZTest queryString queryStringAndFragment randLogNormal randomPrintableASCII
    seriesOutliersDetectTukey serverTimezone singleValueOrNull sipHash128Keyed sipHash128ReferenceKeyed
    sipHash64Keyed stddevPopStable stddevSampStable timeSeriesGroupToSamplingKey timeSeriesJoinTags
    timeSeriesPredictLinearToGrid tupleToNameValuePairs varPopStable varSampStable`),
);
