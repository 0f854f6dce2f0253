/**
 * Functions that a saved query may not use although the engine might let its reader use them, each with the reason. A
 * test goes through every function of the engine, so that none is left unreviewed.
 */
import { splitNames } from './split-names.ts';

const readsFiles = 'it reads files of the engine’s machine';
const readsDictionaries = 'dictionaries belong to the engine and not to the project';
const revealsServer = 'it reveals the engine’s machine';
const revealsSetup = 'it reveals the engine’s users and settings';
const writesToLog = 'it writes to the engine’s log';
const waits = 'it does nothing but wait';
const reachesOut = 'it calls another service';
const readsCode = 'it reads the engine’s own program code';
const evadesNames = 'it runs or resolves names that are not visible in the query';
const sharesState = 'it counts in storage shared by all projects';
export const testsEngine = 'it exists to test the engine';
const isInternal = 'it is reserved for the engine';

function because(reason: string, names: string): [string, string][] {
  return splitNames(names).map((name) => [name, reason]);
}

/** Lower-case function name → why it is refused. */
const byName: ReadonlyMap<string, string> = new Map([
  ...because(readsFiles, 'file catboostevaluate evalmlmethod'),
  ...because(waits, 'sleep sleepeachrow'),
  ...because(
    revealsServer,
    'hostname fullhostname fqdn serveruuid tcpport getserverport getoskernelversion buildid uptime zookeepersessionuptime displayname hasthreadfuzzer shardnum shardcount getmaxtablenamelengthfordatabase version revision chdb globalvariable showcertificate tid connectionid connection_id transactionid transactionlatestsnapshot transactionoldestsnapshot',
  ),
  ...because(
    revealsSetup,
    'getserversetting getmergetreesetting getmacro getsetting getsettingordefault currentprofiles enabledprofiles defaultprofiles currentroles enabledroles defaultroles getclienthttpheader queryid query_id currentqueryid current_query_id initialqueryid initial_query_id',
  ),
  ...because(writesToLog, 'logtrace'),
  ...because(
    readsCode,
    'addresstoline addresstolinewithinlines addresstosymbol demangle flamegraph',
  ),
  ...because(evadesNames, 'executable eval hascolumnintable'),
  ...because(sharesState, 'generateserialid'),
  ...because(testsEngine, 'aggthrow fuzzquery'),
]);

/**
 * Prefix of a family of names, in lower case, and why the whole family is refused, including functions of later
 * versions.
 */
const byPrefix: readonly (readonly [string, string])[] = [
  ['dict', readsDictionaries],
  ['region', readsDictionaries],
  ['naivebayesclassifier', readsDictionaries],
  ['filesystem', revealsServer],
  ['joinget', evadesNames],
  ['structureto', evadesNames],
  ['obfuscatequery', testsEngine],
  ['aiclassify', reachesOut],
  ['aiembed', reachesOut],
  ['aiextract', reachesOut],
  ['aigenerate', reachesOut],
  ['aitranslate', reachesOut],
  ['__', isInternal],
];

/** Column names of stored tables, which a read may pass to functions; no function has such a name. */
const STORED_COLUMN = /^__[a-z]\d+$/;

/** Functions that look up the dictionary named by their first argument. */
const LOOKS_UP = /^dict(?:get\w*|has|isin)$/;

export function isLookUp(name: string): boolean {
  return LOOKS_UP.test(name.toLowerCase());
}

/**
 * Why a query may not call the function, in any spelling; null when it may.
 *
 * @param dictionaries dictionaries that the project is bound to; a separate check of the first argument decides which
 * of them a call may name.
 */
export function whyNotCalled(name: string, dictionaries: readonly string[] = []): string | null {
  const lower = name.toLowerCase();
  if (dictionaries.length > 0 && isLookUp(lower)) return null;
  if (STORED_COLUMN.test(lower)) return null;
  const family = byPrefix.find(([prefix]) => lower.startsWith(prefix));
  return byName.get(lower) ?? family?.[1] ?? null;
}

/** The same for a function that the analyzer resolved, which may be an internal one that it inserted. */
export function whyNotResolved(name: string, dictionaries: readonly string[]): string | null {
  const reason = whyNotCalled(name, dictionaries);
  return reason === isInternal ? null : reason;
}

/**
 * Functions, in lower case, that accept another function by its bare name, as in `arrayMap(lower, …)`. Elsewhere a bare
 * name is a column, whatever it is called.
 */
export const takesFunctions: ReadonlySet<string> = new Set(
  splitNames(
    'arraypartialreversesort arraysort arraypartialsort arraylastindex arraytopk arrayreversesort arrayfill arraysplit ' +
      'arraysum arrayfold arraymin arrayproduct arrayreversefill mappartialsort mapall mappartialreversesort ' +
      'arrayreversesplit mapsort arraymax arraycount arrayavg arraylastornull mapreversesort mapapply arraycumsum ' +
      'arraycumsumnonnegative mapexists mapfilter arraycompact arrayall arraydifference arraymap arrayexists ' +
      'arrayfirst arrayfirstindex arraylast arrayfilter arraybottomk arrayfirstornull',
  ),
);

/** Table functions in lower case that read no table or file; every other one is refused. 2-plain-spelling.ts rewrites zeros. */
export const allowedTableFunctions: ReadonlySet<string> = new Set(
  splitNames(
    'numbers numbers_mt generate_series generateseries primes values sqlstandardvalues null generaterandom zeros zeros_mt',
  ),
);

const readsOtherTables = 'it reads tables whose names are not visible in the query';
const readsNothingOfTheProject = 'it reads no data of the project';
const hidesQuery = 'it hides a query: write that query as a subquery';
const needsTables =
  "it is accepted with the bare name of a format and the rows as a string literal, as in format(JSONEachRow, '{…}'), in the formats JSONEachRow, JSONCompactEachRow, CSV, CSVWithNames, TSV, TSVWithNames";

const tableFunctionReasons: ReadonlyMap<string, string> = new Map([
  ...because(
    readsFiles,
    'file filecluster filesystem sqlite deltalakelocal iceberglocal iceberglocalcluster paimonlocal',
  ),
  ...because(
    reachesOut,
    'url urlcluster s3 s3cluster gcs oss cosn azureblobstorage azureblobstoragecluster hdfs hdfscluster hudi hudicluster ' +
      'deltalake deltalakeazure deltalakeazurecluster deltalakecluster deltalakes3 deltalakes3cluster iceberg icebergazure ' +
      'icebergazurecluster icebergcluster iceberghdfs iceberghdfscluster icebergs3 icebergs3cluster paimon paimonazure ' +
      'paimonazurecluster paimoncluster paimonhdfs paimonhdfscluster paimons3 paimons3cluster remote remotesecure cluster ' +
      'clusterallreplicas mysql postgresql mongodb redis jdbc odbc ytsaurus arrowflight',
  ),
  ...because(
    readsOtherTables,
    'merge loop mergetreeindex mergetreeprojection mergetreetextindex mergetreeanalyzeindexes mergetreeanalyzeindexesuuid ' +
      'dictionary timeseriesdata timeseriesmetrics timeseriessamples timeseriesselector timeseriestags prometheusquery ' +
      'prometheusqueryrange',
  ),
  ...because(hidesQuery, 'view viewexplain viewifpermitted eval'),
  ...because(evadesNames, 'executable'),
  ...because(readsNothingOfTheProject, 'input fuzzjson fuzzquery'),
  ...because(needsTables, 'format'),
]);

/** The reason for a table function that is in no list. */
export const UNLISTED =
  'only table functions that generate rows or contain them in the query are accepted';

/** Why a query may not read from the table function; null when it may. */
export function whyNotRead(name: string): string | null {
  const lower = name.toLowerCase();
  if (allowedTableFunctions.has(lower)) return null;
  return tableFunctionReasons.get(lower) ?? UNLISTED;
}
