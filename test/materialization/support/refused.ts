/** One query for each reason that the planner gives. */
export const refusals: readonly { readonly sql: string; readonly says: RegExp }[] = [
  {
    sql: 'SELECT {x:Int32} + 1 AS n',
    says: /^The query reads no table, .* compute with their variables\.$/,
  },
  { sql: 'SELECT sum({x:Int32}), max(1)', says: /^The query reads no table, / },
  // where variables stand
  {
    sql: 'SELECT i, s, count() AS c FROM few WHERE i > {x:Int32} GROUP BY i, s ORDER BY i WITH FILL INTERPOLATE (c)',
    says: /^INTERPOLATE .*; group by the columns of ORDER BY/,
  },
  { sql: 'SELECT number FROM numbers({x:UInt8})', says: /^The variable x is used in FROM/ },
  {
    sql: 'SELECT q.id FROM few AS q JOIN other AS o ON q.s = o.s PREWHERE q.i = {x:Int32}',
    says: /is used in PREWHERE; write WHERE if the condition means the same there/,
  },
  {
    sql: 'WITH q AS (SELECT f.id AS id, f.s AS s FROM few AS f JOIN other AS p ON p.s = f.s PREWHERE f.i = {x:Int32}) SELECT q.id, o.n FROM q JOIN (SELECT s, count() AS n FROM other WHERE s IN (SELECT s FROM q) GROUP BY s) AS o ON o.s = q.s',
    says: /The variable x is used in PREWHERE; write WHERE/,
  },
  {
    sql: 'SELECT i FROM few QUALIFY row_number() OVER () = {x:UInt8}',
    says: /^The window of row_number has no ORDER BY/,
  },
  // how they are compared
  {
    sql: 'SELECT count() OVER (PARTITION BY f) FROM few WHERE f IN {x:Array(Float64)}',
    says: /tells 0 from -0, as IN does/,
  },
  {
    sql: 'SELECT count() OVER (PARTITION BY f) FROM few WHERE NOT (f > {x:Float64})',
    says: /tells 0 from -0/,
  },
  // what gives something else each time
  { sql: 'SELECT rand() AS r, s FROM few', says: /^The function rand gives another result/ },
  { sql: 'SELECT s FROM few WHERE generateUUIDv4() != toUUID(s)', says: /generateUUIDv4 gives/ },
  {
    sql: 'SELECT s FROM few WHERE indexHint(id = {x:UInt32})',
    says: /indexHint gives another result/,
  },
  {
    sql: 'SELECT lowCardinalityKeys(toLowCardinality(s)) AS k FROM few',
    says: /lowCardinalityKeys depends on how the engine has stored a value/,
  },
  {
    sql: "SELECT JSONDynamicPaths(CAST('{}', 'JSON')) AS p FROM few",
    says: /JSONDynamicPaths depends on how the engine has stored a value/,
  },
  {
    sql: "SELECT formatRow('JSON', s) AS j FROM few",
    says: /^formatRow in the format 'JSON' writes how long the query took, .* Use 'JSONEachRow'/,
  },
  {
    sql: 'SELECT count() FROM few WHERE id > {x:UInt32} GROUP BY n.null',
    says: /write isNull\(n\) instead of n\.null/,
  },
  {
    sql: 'SELECT s, tid() AS thread FROM few',
    says: /tid gives another result each time.* Leave it out/,
  },
  {
    sql: 'SELECT s, rowNumberInAllBlocks() + 1 AS rank FROM few',
    says: /rowNumberInAllBlocks gives another result each time.* Write row_number\(\) OVER \(ORDER BY …\)/,
  },
  {
    sql: 'SELECT mapPartialSort((k, v) -> k, 1, map(s, 1, concat(s, s), 2)) AS m FROM few',
    says: /mapPartialSort gives another result each time/,
  },
  {
    sql: "SELECT quantile(0.5)(dateDiff('day', ts, now())) FROM few",
    says: /use quantileExact/,
  },
  {
    sql: 'SELECT number, now() - toIntervalDay(number) AS c FROM numbers(3)',
    says: /^The function now is used outside of WHERE/,
  },
  {
    sql: 'SELECT maxIf(if(i > {x:Int32}, f, -fi), u = {y:UInt8}) FROM few',
    says: /^The result of maxIf over floating point numbers may be 0 or -0/,
  },
  {
    sql: 'SELECT quantileExact(0.99)(if(i > {x:Int32}, f, -fi)) FROM few',
    says: /write quantileExact\(0\.99\)\(x \+ 0\)/,
  },
  // aggregates
  {
    sql: 'SELECT quantileTiming(0.5)(i) FROM few',
    says: /quantileTiming depends on the order of the rows.*use quantileExact, or quantileDD/,
  },
  {
    sql: 'SELECT quantilesTimingWeighted(0.5)(i, u) FROM few WHERE i > {x:Int32}',
    says: /cannot be computed.*write quantilesExactWeighted\(0\.5\)\(i, u\)/,
  },
  {
    sql: 'SELECT deltaSumTimestamp(u, id) AS x FROM few',
    says: /deltaSumTimestamp depends on the order of the rows.*use a sum of differences to lagInFrame/,
  },
  {
    sql: 'SELECT deltaSumTimestamp(u, id) AS x FROM few WHERE i = {a:Int32} OR i = {b:Int32}',
    says: /deltaSumTimestamp/,
  },
  {
    sql: 'SELECT deltaSumTimestampMerge(d) FROM (SELECT deltaSumTimestampState(u, id) AS d FROM few GROUP BY s)',
    says: /deltaSumTimestamp.* depends on the order of the rows/,
  },
  {
    sql: 'SELECT arraySort(groupUniqArray(3)(s)) AS x FROM few WHERE i > {x:Int32}',
    says: /write arraySort\(groupUniqArray\(s\)\), without a maximum size/,
  },
  {
    sql: 'SELECT sumMerge(n), anyMerge(a) FROM (SELECT s, sumState(u) AS n, anyState(i) AS a FROM few GROUP BY s) WHERE s > {x:String}',
    says: /^The result of the aggregate anyState depends/,
  },
  {
    sql: 'SELECT quantilesMerge(0.5)(q) FROM (SELECT s, quantilesState(0.5)(u) AS q FROM few GROUP BY s) WHERE s > {x:String}',
    says: /let its table store states made by quantilesExactState/,
  },
  {
    sql: 'SELECT quantileGK(100, 0.9)(i) FROM few WHERE i > {x:Int32}',
    says: /cannot be computed.*write quantileExact\(0\.9\)\(i\)/,
  },
  {
    sql: 'SELECT medianTDigestOrNullIf(i, u > {x:Int32}) FROM few',
    says: /write quantileExactOrNullIf\(0\.5\)\(i, u > \{x:Int32\}\)/,
  },
  {
    sql: 'SELECT quantileArray(0.5)([i, u]) FROM few WHERE i > {x:Int32}',
    says: /cannot be computed.*write quantileExactArray\(0\.5\)/,
  },
  {
    sql: 'SELECT median(arrayJoin([i, u])) AS m FROM few WHERE i > {x:Int32}',
    says: /\S/,
  },
  {
    sql: 'SELECT max(q) FROM (SELECT u, quantileTDigest(0.9)(i) AS q FROM few GROUP BY u) WHERE u > {x:UInt8}',
    says: /quantileTDigest depends on the order of the rows.*use quantileExact/,
  },
  {
    sql: 'SELECT anyIf(s, u = {x:Int32}) FROM few',
    says: /write minIf\(s, u = \{x:Int32\}\) or maxIf\(s, u = \{x:Int32\}\)/,
  },
  {
    sql: 'SELECT topKIf(3)(s, u = {x:Int32}) FROM few',
    says: /write SELECT s, count\(\) … WHERE u = \{x:Int32\} GROUP BY s ORDER BY count\(\) DESC LIMIT 3/,
  },
  {
    sql: 'SELECT anyIf(s, u = 1) FROM few WHERE i > {x:Int32}',
    says: /cannot be computed.*write minIf\(s, u = 1\) or maxIf\(s, u = 1\)/,
  },
  {
    sql: 'SELECT quantileTDigest(0.5)(i) FROM few WHERE i > {x:Int32}',
    says: /cannot be computed.*write quantileExact\(0.5\)\(i\)/,
  },
  {
    sql: 'SELECT s, arraySort(groupArray(f)) FROM few WHERE i = {x:Int32} GROUP BY s',
    says: /^The result of groupArray\(f\) over floating/,
  },
  {
    sql: 'SELECT groupArray(s) FROM few WHERE i = {x:Int32}',
    says: /write arraySort\(groupArray\(s\)\), or arrayMap\(x -> x\.2, arraySort\(groupArray\(\(key, s\)\)\)\) for/,
  },
  {
    sql: 'SELECT s, count() + (SELECT max(w) FROM other) FROM few WHERE i > {x:Int32} GROUP BY s',
    says: /holds a name or a subquery beside aggregates/,
  },
  // windows
  {
    sql: 'SELECT groupArray(i) OVER (PARTITION BY s) FROM few WHERE s = {x:String}',
    says: /^The window function groupArray cannot/,
  },
  // order and cuts
  {
    sql: 'SELECT DISTINCT s FROM few WHERE i = {x:Int32} ORDER BY id',
    says: /^SELECT DISTINCT is/,
  },
  // tables and shapes
  {
    sql: 'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT n FROM r WHERE n = {x:Int32}',
    says: /^WITH RECURSIVE/,
  },
  {
    sql: 'SELECT f.limit FROM (SELECT s AS `limit`, i FROM few) AS f WHERE f.i = {x:Int32}',
    says: /name limit is also a word of S/,
  },
  { sql: 'SELECT s AS __v0 FROM few WHERE i = {x:Int32}', says: /name __v0 is reserved/ },
  { sql: 'SELECT s AS __c1 FROM few', says: /name __c1 is reserved/ },
  { sql: 'SELECT i AS a, i AS a FROM few', says: /^Two columns of the result are called a/ },
  { sql: 'SELECT NULL AS nothing FROM few', says: /column nothing has no type/ },
  // CTEs and subqueries
  {
    sql: 'SELECT max(n) FROM (SELECT row_number() OVER (PARTITION BY s) * i AS n FROM few WHERE i = {x:Int32})',
    says: /^The window of row_number has no ORDER BY/,
  },
  {
    sql: 'SELECT q.id, g.n FROM few AS q ANY LEFT JOIN (SELECT u, count() AS n FROM some GROUP BY u) AS g ON q.i = g.u WHERE q.u = {x:UInt8}',
    says: /^An ANY JOIN cannot/,
  },
  {
    sql: 'SELECT q.id, g.n FROM few AS q ANY LEFT JOIN (SELECT f, count() AS n FROM some GROUP BY f) AS g ON q.f = g.f WHERE q.u = {x:UInt8}',
    says: /^An ANY JOIN cannot/,
  },
  {
    sql: 'SELECT q.id, g.n FROM few AS q ANY JOIN (SELECT s, count() AS n FROM some GROUP BY s) AS g ON q.s = g.s WHERE q.u = {x:UInt8}',
    says: /^An ANY JOIN cannot/,
  },
  {
    sql: 'SELECT q.id, g.n FROM few AS q ANY LEFT JOIN (SELECT s, count() AS n FROM some GROUP BY s) AS g ON q.s = g.s OR q.lc = g.s WHERE q.u = {x:UInt8}',
    says: /^An ANY JOIN cannot/,
  },
  {
    sql: 'SELECT q.s, o.w FROM few AS q ANY LEFT JOIN other AS o ON q.s = lower(o.s) WHERE q.u = {x:UInt8}',
    says: /^An ANY JOIN cannot.*write a LEFT JOIN with one row for each key: LEFT JOIN \(SELECT key, min/,
  },
  {
    sql: 'SELECT o.w FROM few AS q RIGHT SEMI JOIN other AS o ON lower(q.s) = o.s WHERE q.u = {x:UInt8}',
    says: /^A SEMI JOIN cannot/,
  },
  {
    sql: 'SELECT q.s, o.w FROM few AS q ANY LEFT JOIN (SELECT s, w FROM other WHERE w > {x:Int32} ORDER BY w LIMIT 5) AS o ON q.s = o.s',
    says: /^An ANY JOIN cannot/,
  },
  {
    sql: 'SELECT q.s, o.ts FROM few AS q ANY LEFT JOIN (SELECT s, ts FROM some WHERE ts < now()) AS o ON q.s = o.s WHERE q.u = {x:UInt8}',
    says: /^An ANY JOIN cannot/,
  },
  {
    sql: 'SELECT q.id, o.id FROM few AS q ASOF JOIN some AS o ON q.s = o.s AND q.f >= o.f WHERE q.u = {x:UInt8}',
    says: /^An ASOF JOIN cannot/,
  },
  // what the engine makes of the names
  {
    sql: 'WITH g AS (SELECT s, u FROM few) SELECT s FROM g WHERE u IN (SELECT w FROM other ANY JOIN few USING (s)) AND s = {x:String}',
    says: /^An ANY JOIN cannot/,
  },
  { sql: 'SELECT s AS `a\nb` FROM few WHERE i = {x:Int32}', says: /holds a control character/ },
  // what depends on the order of the rows
  {
    sql: 'SELECT u, stddevPop(toFloat32(f)) FROM few GROUP BY u',
    says: /stddevPop of single precision.*write stddevPop\(toFloat64/,
  },
  {
    sql: 'SELECT corr(toFloat32(f), toFloat32(i)) OVER (PARTITION BY s) FROM few',
    says: /corr of single precision/,
  },
  {
    sql: 'SELECT varSampIf(toFloat32(f), u > 1) FROM few WHERE s = {x:String}',
    says: /varSampIf of single precision/,
  },
  { sql: 'SELECT any(s) FROM few', says: /any depends on the order.*use min, max, argMin/ },
  { sql: 'SELECT u, anyLast(s) RESPECT NULLS FROM few GROUP BY u', says: /depends on the order/ },
  { sql: 'SELECT groupArray(s) FROM few', says: /groupArray depends.*use arraySort\(groupArray/ },
  { sql: "SELECT groupConcat(',')(s) FROM few", says: /groupConcat depends on the order/ },
  {
    sql: 'SELECT arraySort(x -> x.1, groupArray((i, s))) FROM few',
    says: /groupArray depends on the order/,
  },
  { sql: 'SELECT u, quantileTiming(0.5)(i) FROM few GROUP BY u', says: /use quantileExact/ },
  {
    sql: 'SELECT max(q) FROM (SELECT u, quantileTDigest(0.5)(i) AS q FROM few GROUP BY u)',
    says: /use quantileExact/,
  },
  {
    sql: 'SELECT avg(q) FROM (SELECT u, quantile(0.5)(arrayJoin([i, u])) AS q FROM few GROUP BY u)',
    says: /use quantileExact/,
  },
  {
    sql: 'WITH few AS (SELECT u, arrayJoin(range({n:UInt8})) AS i FROM some) SELECT avg(q) FROM (SELECT u, quantile(0.5)(i) AS q FROM few GROUP BY u)',
    says: /use quantileExact/,
  },
  {
    sql: 'SELECT avg(q) FROM (SELECT quantile(0.5)(i) + (0 AS u) AS q FROM few GROUP BY u)',
    says: /use quantileExact/,
  },
  {
    sql: 'SELECT avg(q) FROM (SELECT quantile(0.5)(i) AS q FROM (SELECT u, i FROM few WHERE i > {x:Int32} ORDER BY i LIMIT 9) GROUP BY u)',
    says: /use quantileExact/,
  },
  { sql: 'SELECT median(arrayJoin([i, u])) FROM few', says: /use quantileExact/ },
  {
    sql: 'SELECT arraySort(groupUniqArray(2)(s)) FROM few',
    says: /use arraySort\(groupUniqArray\(…\)\), without a maximum size/,
  },
  { sql: 'SELECT groupArrayInsertAt(s, u) FROM few', says: /leave it out/ },
  { sql: 'SELECT topK(3)(s) FROM few', says: /topK depends on the order/ },
  { sql: 'WITH any(s) AS a SELECT a FROM few', says: /any depends on the order/ },
  { sql: 'SELECT (SELECT any(s) FROM few) AS a, 1', says: /any depends on the order/ },
  { sql: 'SELECT s FROM few WHERE id = (SELECT any(id) FROM few)', says: /any depends on/ },
  { sql: 'SELECT s FROM one UNION ALL SELECT any(s) FROM few', says: /any depends on the order/ },
  {
    sql: 'SELECT s FROM (SELECT s FROM few LIMIT 3)',
    says: /^A subquery, CTE or branch of UNION with LIMIT but without/,
  },
  { sql: 'SELECT id, row_number() OVER () FROM few', says: /row_number has no ORDER BY/ },
  {
    sql: 'SELECT id, sum(i) OVER (PARTITION BY s ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) FROM few',
    says: /The window of sum has no ORDER BY/,
  },
  {
    sql: 'SELECT id, topK(2)(u) OVER (PARTITION BY s) AS t FROM few',
    says: /The window of topK has no ORDER BY/,
  },
  {
    sql: 'SELECT id, max(i) OVER (PARTITION BY s ROWS 1 PRECEDING) AS m FROM few WHERE s = {x:String}',
    says: /The window of max has no ORDER BY/,
  },
  // 0 and -0
  {
    sql: 'SELECT max(a.f * -2) AS m FROM few AS a JOIN few AS b ON a.id = b.id AND b.i > {x:Int32}',
    says: /^The result of max over.*0 or -0/,
  },
  { sql: 'SELECT maxArray([f]) FROM few WHERE i > {x:Int32}', says: /^The result of maxArray/ },
  { sql: 'SELECT minIf((f, s), b) FROM few WHERE i > {x:Int32}', says: /^The result of minIf/ },
  {
    sql: 'SELECT max(-f) OVER (PARTITION BY s) FROM few WHERE s = {x:String}',
    says: /^The result of max over/,
  },
  {
    sql: 'SELECT argMax(id, (n, id)) FROM few WHERE i > {x:Int32}',
    says: /^The result of argMax over tuples or arrays that may hold NULL/,
  },
  {
    sql: 'SELECT n FROM (SELECT u, max(-f) AS n FROM few WHERE s = {x:String} GROUP BY u)',
    says: /^The result of max over/,
  },
  {
    sql: 'SELECT n FROM (SELECT u, topK(1)(s) AS n FROM few WHERE s = {x:String} GROUP BY u)',
    says: /topK\(1\)\(s\) cannot be computed.*or for each key SELECT key, s, count\(\) … GROUP BY key, s ORDER BY count\(\) DESC LIMIT 1 BY key\.?/,
  },
  // the engine
  { sql: 'SELECT nothing_such FROM few', says: /^The engine does not take a part of the query/ },
];
