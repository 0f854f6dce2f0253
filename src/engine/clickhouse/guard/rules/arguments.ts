/**
 * Which arguments of the engine's functions are more than values. Names are in lower case; positions count from 0, and
 * from the end when negative. Found by calling every function with a time zone that does not exist, and with a type that
 * names one, in every position; test/engine/clickhouse/guard-arguments.test.ts repeats that.
 */
import { splitNames } from './split-names.ts';

function at<T>(value: T, names: string): [string, T][] {
  return splitNames(names).map((name) => [name, value]);
}

/** Arguments that can only be the name of a time zone. */
export const zoneArguments: ReadonlyMap<string, readonly number[]> = new Map([
  ...at([0], 'now nowinblock current_timestamp localtimestamp'),
  ...at(
    [1],
    `
    date day dayofmonth dayofyear hour last_day microsecond millisecond minute month nanosecond quarter second now64
    to_days nowinblock64 uuidv7todatetime year yyyymmddhhmmsstodatetime parsedatetime32besteffort
    parsedatetime32besteffortornull parsedatetime32besteffortorzero parsedatetimebesteffortus
    parsedatetimebesteffortusornull parsedatetimebesteffortusorzero timeslot timezoneoffset todate todate32
    todatetime32 todatetimeornull todatetimeorzero todayofmonth todayofyear todaysinmonth todayssinceyearzero tohour
    toisoweek toisoyear fromutctimestamp fromunixtimestamp64micro fromunixtimestamp64milli fromunixtimestamp64nano
    fromunixtimestamp64second from_utc_timestamp tolastdayofmonth tomicrosecond tomillisecond tominute tomonday
    tomonth tomonthnumsinceepoch tonanosecond toquarter torelativedaynum torelativehournum torelativeminutenum
    torelativemonthnum torelativequarternum torelativesecondnum torelativeweeknum torelativeyearnum tosecond
    tostartofday tostartoffifteenminutes tostartoffiveminute tostartoffiveminutes tostartofhour tostartofisoyear
    tostartofmicrosecond tostartofmillisecond tostartofminute tostartofmonth tostartofnanosecond tostartofquarter
    tostartofsecond tostartoftenminutes tostartofyear tostring totimewithfixeddate totimezone toutctimestamp
    tounixtimestamp toyyyymm toyyyymmdd toyyyymmddhhmmss toyear toyearnumsinceepoch to_utc_timestamp`,
  ),
  ...at(
    [2],
    `
    date_format date_trunc from_unixtime to_unixtime yyyymmddhhmmsstodatetime64 parsedatetime parsedatetime64
    parsedatetimeornull parsedatetimeorzero parsedatetime64ornull parsedatetime64orzero parsedatetimeinjodasyntax
    parsedatetimeinjodasyntaxornull parsedatetimeinjodasyntaxorzero parsedatetime64injodasyntax
    parsedatetime64injodasyntaxornull parsedatetime64injodasyntaxorzero str_to_date adddays addhours addmicroseconds
    addmilliseconds addminutes addmonths addnanoseconds addquarters addseconds addweeks addyears subtractdays
    subtracthours subtractmicroseconds subtractmilliseconds subtractminutes subtractmonths subtractnanoseconds
    subtractquarters subtractseconds subtractweeks subtractyears snowflakeidtodatetime snowflakeidtodatetime64 datename
    datetrunc todatetime64 formatdatetime formatdatetimeinjodasyntax fromunixtimestamp fromunixtimestampinjodasyntax
    tumble tumbleend tumblestart dayofweek todayofweek tolastdayofweek tostartofweek toweek toyearweek week yearweek
    todatetime64ornull todatetime64orzero parsedatetime64besteffort parsedatetime64besteffortornull
    parsedatetime64besteffortorzero parsedatetime64besteffortus parsedatetime64besteffortusornull
    parsedatetime64besteffortusorzero`,
  ),
  ...at(
    [1, 2],
    'parsedatetimebesteffort parsedatetimebesteffortornull parsedatetimebesteffortorzero',
  ),
  ...at([3], 'date_diff timestamp_diff age datediff timestampdiff hop hopend hopstart'),
  ...at([6], 'makedatetime'),
  ...at([8], 'makedatetime64'),
]);

/** Arguments that may be a time zone, or a time, a number or an interval. */
export const zoneOrValueArguments: ReadonlyMap<string, readonly number[]> = new Map([
  ...at([1, 2], 'todatetime todatetimeordefault'),
  ...at([2, 3], 'date_bin time_bucket tostartofinterval windowid todatetime64ordefault'),
]);

/** Arguments that are the name of a type. */
export const typeArguments: ReadonlyMap<string, readonly number[]> = new Map([
  ...at([0], 'defaultvalueoftypename gettypeserializationstreams'),
  ...at(
    [1],
    'cast _cast accuratecast accuratecastornull accuratecastordefault reinterpret dynamicelement variantelement getsubcolumn',
  ),
  ...at(
    [-1],
    'jsonextract jsonextractcaseinsensitive jsonextractkeysandvalues jsonextractkeysandvaluescaseinsensitive',
  ),
]);

/** Arguments that are the name of an aggregate function. */
export const aggregateArguments: ReadonlyMap<string, readonly number[]> = new Map(
  at([0], 'arrayreduce arrayreduceinranges initializeaggregation'),
);

/** Joda formats: `z` in one reads the name of a time zone from the text that is parsed. */
export const jodaFormatArguments: ReadonlyMap<string, readonly number[]> = new Map(
  at(
    [1],
    `parsedatetimeinjodasyntax parsedatetimeinjodasyntaxornull parsedatetimeinjodasyntaxorzero
    parsedatetime64injodasyntax parsedatetime64injodasyntaxornull parsedatetime64injodasyntaxorzero`,
  ),
);

/** Formats of rows. */
export const formatArguments: ReadonlyMap<string, readonly number[]> = new Map(
  at([0], 'formatrow formatrownonewline'),
);

/** Arguments of table functions that are a list of columns. */
export const structureArguments: ReadonlyMap<string, readonly number[]> = new Map(
  at([0], 'values null generaterandom'),
);

/** Arguments that a function compares in time proportional to the product of their lengths. */
export interface Product {
  readonly positions: readonly number[];
  /** Whether one of the arguments has to be short, or all of them. */
  readonly short: 'one' | 'all';
  /** Limit for a constant or a variable among them. */
  readonly bytes: number;
  /** Rows per block, after which the engine checks its limits again; null for the engine's default. */
  readonly blockRows: number | null;
}

/**
 * Functions that check no limit while they work on a block of rows. Found by calling every function with large texts, arrays
 * and polygons, and by hand: these ran for more than two seconds past the limit.
 */
export const productFunctions: ReadonlyMap<string, Product> = new Map([
  ...at<Product>(
    { positions: [0, 1], short: 'all', bytes: 1000, blockRows: 512 },
    `
    editdistance editdistanceutf8 levenshteindistance levenshteindistanceutf8 dameraulevenshteindistance jarosimilarity
    jarowinklersimilarity arraylevenshteindistance arraylevenshteindistanceweighted arraysimilarity`,
  ),
  ...at<Product>(
    { positions: [0, 1], short: 'one', bytes: 10_000, blockRows: null },
    'hasall hasany hassubstr arrayjaccardindex',
  ),
  ...at<Product>(
    { positions: [0, 1], short: 'all', bytes: 10_000, blockRows: null },
    `
    position locate instr positioncaseinsensitive positionutf8 positioncaseinsensitiveutf8 countsubstrings
    countsubstringscaseinsensitive countsubstringscaseinsensitiveutf8 like ilike notlike notilike match
    regexp_matches mapcontainskeylike mapcontainsvaluelike mapextractkeylike mapextractvaluelike extract extractall
    extractallgroupshorizontal extractallgroupsvertical extractallgroups extractgroups countmatches
    countmatchescaseinsensitive splitbyregexp regexpextract regexpposition regexpinstr regexp_instr
    regexp_extract regexp_substr replace replaceall replaceone replaceregexpall replaceregexpone regexp_replace
    multisearchany multisearchanycaseinsensitive multisearchanyutf8 multisearchanycaseinsensitiveutf8
    multisearchfirstindex multisearchfirstindexcaseinsensitive multisearchfirstindexutf8
    multisearchfirstindexcaseinsensitiveutf8 multisearchfirstposition multisearchfirstpositioncaseinsensitive
    multisearchfirstpositionutf8 multisearchfirstpositioncaseinsensitiveutf8 multisearchallpositions
    multisearchallpositionscaseinsensitive multisearchallpositionsutf8
    multisearchallpositionscaseinsensitiveutf8 multimatchany multimatchanyindex multimatchallindices`,
  ),
  ...at<Product>(
    { positions: [0, 2], short: 'all', bytes: 1000, blockRows: 512 },
    'multifuzzymatchany multifuzzymatchanyindex multifuzzymatchallindices',
  ),
]);

/**
 * The subset that searches for a text or a LIKE pattern: with a tiny pattern the time grows only with the other
 * argument.
 */
export const plainSearches: ReadonlySet<string> = new Set(
  splitNames(`
  position locate instr positioncaseinsensitive positionutf8 positioncaseinsensitiveutf8 countsubstrings
  countsubstringscaseinsensitive countsubstringscaseinsensitiveutf8 like ilike notlike notilike`),
);

/** Functions that scan an array for each value. */
export const memberFunctions: ReadonlySet<string> = new Set(['has', 'indexof', 'countequal']);

/** Functions that turn a short value into a long one. */
export const growingFunctions =
  /^(?:repeat|range|space|arraywithconstant|arrayresize|arrayfold|group(?:array|uniqarray|concat).*|arrayreduce.*|(?:left|right|l|r)pad(?:utf8)?|random(?:string|stringutf8|fixedstring|printableascii)|timeslots|bitmaptoarray)$/;

/** Functions whose time grows faster than their arguments, so all of these have to be short. */
export const shortFunctions: ReadonlySet<string> = new Set(
  splitNames(`
  polygonsunioncartesian polygonsunionspherical polygonsintersectioncartesian polygonsintersectionspherical
  polygonssymdifferencecartesian polygonssymdifferencespherical polygonswithincartesian polygonswithinspherical
  polygonsintersectcartesian polygonsintersectspherical polygonsequalscartesian polygonsdistancecartesian
  polygonsdistancespherical geometryintersectcartesian geometryintersectspherical`),
);

/** Functions over one long array, whose length the query has to limit. */
export const seriesFunctions: ReadonlySet<string> = new Set(['seriesdecomposestl']);

/** Arguments whose square is the size of the result. */
export const ringArguments: ReadonlyMap<string, readonly number[]> = new Map(
  at([1], 'h3kring h3hexring'),
);

/** Functions whose result is not much longer than all of their arguments. */
export const lengthPreservingFunctions: ReadonlySet<string> = new Set(
  splitNames(`
  lower upper lowerutf8 upperutf8 initcap initcaputf8 trim ltrim rtrim trimleft trimright trimboth concat
  concatassumeinjective concatwithseparator substring substringutf8 left right leftutf8 rightutf8 substringindex
  tostring cast _cast accuratecastornull reverse reverseutf8 coalesce ifnull nullif if multiif assumenotnull tonullable
  materialize identity tolowcardinality tuple tupleelement array arrayelement arrayconcat arraydistinct arraysort
  arrayreverse arrayfilter arrayfirst arraylast arrayfirstornull arraylastornull arraymap arrayslice arraycompact
  arraystringconcat splitbychar splitbystring splitbywhitespace
  splitbynonalpha splitbyregexp alphatokens jsonextractstring jsonextract jsonextractraw jsonextractkeys
  jsonextractkeysandvalues jsonextractkeysandvaluesraw jsonextractarrayraw simplejsonextractstring simplejsonextractraw
  visitparamextractstring visitparamextractraw json_value domain
  domainwithoutwww path protocol querystring cuttofirstsignificantsubdomain topleveldomain extract extractall
  regexpextract hex unhex tovalidutf8 map mapkeys mapvalues arrayjoin arrayflatten greatest least tojsonstring
  replaceone replaceall replaceregexpall translate cutquerystring cutfragment cuturlparameter cutwww netloc extracturlparameter
  decodeurlcomponent decodeurlformcomponent encodeurlcomponent encodeurlformcomponent base64decode base64encode
  normalizeutf8nfc
  readwktpoint readwktlinestring readwktpolygon readwktmultipolygon replaceregexpone any anylast anyheavy min max
  argmin argmax anymerge anylastmerge minmerge maxmerge argminmerge argmaxmerge first_value last_value lag lead laginframe leadinframe formatdatetime formatdatetimeinjodasyntax
  date_format datename monthname formatreadablesize formatreadabledecimalsize formatreadablequantity
  formatreadabletimedelta ipv4numtostring ipv4numtostringclassc ipv6numtostring macnumtostring uuidnumtostring
  geohashencode h3tostring soundex`),
);

/** `left(x, 1000)`: short whatever x is. */
export const cuttingFunctions: ReadonlyMap<string, number> = new Map([
  ['left', 1],
  ['leftutf8', 1],
  ['right', 1],
  ['rightutf8', 1],
  ['substring', 2],
  ['substringutf8', 2],
]);

/** Repeat counts, which have to be a small literal. */
export const repeatedArguments: ReadonlyMap<string, number> = new Map([
  ['arraystringconcat', 1],
  ['replaceall', 2],
  ['replaceregexpall', 2],
  ['replaceregexpone', 2],
]);
