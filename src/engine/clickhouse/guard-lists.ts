/** What a saved query may not use although the engine would let its reader do it, each with the reason. */

const readsFiles = 'it reads files of the machine';
const tellsAboutServer = 'it tells about the engine’s machine';
const tellsAboutSetup = 'it tells about the engine’s users and settings';
const waits = 'it only waits';
const reachesOut = 'it calls another service';
const readsCode = 'it reads the engine’s own program';
const evadesNames = 'it runs or looks up things by names the query does not show';

function because(reason: string, names: string): [string, string][] {
  return names.split(' ').map((name) => [name, reason]);
}

/** Lower-case function name → why it is refused. */
export const deniedFunctions: ReadonlyMap<string, string> = new Map([
  ...because(readsFiles, 'file catboostevaluate evalmlmethod naivebayesclassifier'),
  ...because(readsFiles, 'naivebayesclassifierwithprob naivebayesclassifierwithallprobs'),
  ...because(waits, 'sleep sleepeachrow'),
  ...because(reachesOut, 'aiclassify aiextract aigenerate aitranslate aiembed'),
  ...because(
    tellsAboutServer,
    'hostname fullhostname fqdn serveruuid tcpport getserverport getoskernelversion filesystemavailable filesystemcapacity filesystemunreserved buildid uptime zookeepersessionuptime displayname hasthreadfuzzer shardnum shardcount getmaxtablenamelengthfordatabase',
  ),
  ...because(
    tellsAboutSetup,
    'getserversetting getmergetreesetting getmacro getsetting getsettingordefault currentprofiles enabledprofiles defaultprofiles currentroles enabledroles defaultroles getclienthttpheader logtrace queryid query_id currentqueryid current_query_id initialqueryid initial_query_id',
  ),
  ...because(readsCode, 'addresstoline addresstolinewithinlines addresstosymbol demangle'),
  ...because(
    evadesNames,
    'executable eval joinget joingetornull hascolumnintable structuretocapnprotoschema structuretoprotobufschema obfuscatequery obfuscatequerywithseed fuzzquery',
  ),
]);

/** Table functions that make rows out of nothing; every other one is refused. */
export const allowedTableFunctions: ReadonlyMap<string, string> = new Map([
  ['numbers', 'counts'],
  ['numbers_mt', 'counts'],
  ['zeros', 'counts'],
  ['zeros_mt', 'counts'],
  ['generate_series', 'counts'],
  ['generateseries', 'counts'],
  ['values', 'holds the rows in the text'],
  ['null', 'holds no rows'],
]);
