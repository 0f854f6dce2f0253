/** One query for each reason that the planner gives. */
export const refusals: readonly { readonly sql: string; readonly says: RegExp }[] = [
  // where variables stand
  { sql: 'SELECT {x:String} AS q FROM few', says: /^The variable x is used in SELECT/ },
  {
    sql: 'SELECT sum(i) FILTER (WHERE s = {x:String}) FROM few',
    says: /^The variable x is used in SELECT/,
  },
  {
    sql: 'SELECT q.id FROM few AS q JOIN other AS o ON q.s = o.s AND o.w = {x:Int32}',
    says: /^The variable x is used in FROM, as in a JOIN condition/,
  },
  { sql: 'SELECT number FROM numbers({x:UInt8})', says: /^The variable x is used in FROM/ },
  { sql: 'SELECT id FROM few ARRAY JOIN arrayMap(v -> v + {x:Int32}, arr) AS y', says: /in FROM/ },
  { sql: 'SELECT id FROM few PREWHERE i = {x:Int32}', says: /is used in PREWHERE; write WHERE/ },
  { sql: 'SELECT count() FROM few GROUP BY i = {x:Int32}', says: /is used in GROUP BY/ },
  { sql: 'SELECT s FROM few GROUP BY s HAVING count() > {x:UInt8}', says: /is used in HAVING/ },
  {
    sql: 'SELECT sum(i) OVER w FROM few WINDOW w AS (PARTITION BY s = {x:String})',
    says: /is used in a window/,
  },
  { sql: 'SELECT i FROM few QUALIFY row_number() OVER () = {x:UInt8}', says: /used in QUALIFY/ },
  { sql: 'SELECT s FROM few ORDER BY s = {x:String}', says: /is used in ORDER BY/ },
  { sql: 'SELECT s FROM few ORDER BY s LIMIT 1 BY s = {x:String}', says: /is used in LIMIT BY/ },
  { sql: 'SELECT s FROM few ORDER BY s LIMIT {x:UInt8}', says: /is used in LIMIT; give the limit/ },
  { sql: 'SELECT s FROM few ORDER BY s OFFSET {x:UInt8}', says: /is used in (OFFSET|LIMIT); give/ },
  {
    sql: 'WITH (SELECT max(i) FROM few WHERE s = {x:String}) AS m SELECT m',
    says: /is used in WITH where its condition cannot be taken out/,
  },
  // how they are compared
  { sql: 'SELECT id FROM few WHERE s = {x:String} OR u = 1', says: /x is used in an OR/ },
  { sql: 'SELECT id FROM few WHERE i NOT BETWEEN 1 AND {x:Int32}', says: /x is used in an OR/ },
  { sql: 'SELECT id FROM few WHERE NOT (s = {x:String})', says: /x is used under NOT/ },
  {
    sql: 'SELECT id FROM few WHERE s IN (SELECT s FROM other WHERE w = {x:Int32})',
    says: /x is used in a condition with a subquery/,
  },
  { sql: 'SELECT id FROM few WHERE startsWith(s, {x:String})', says: /not used in a plain compar/ },
  { sql: 'SELECT id FROM few WHERE {x:String} LIKE s', says: /stands left of LIKE; write the col/ },
  { sql: 'SELECT id FROM few WHERE i + {x:Int32} > 3', says: /x is mixed with a column/ },
  { sql: "SELECT id FROM few WHERE {x:String} = 'a'", says: /x is compared with a constant/ },
  { sql: 'SELECT id FROM few WHERE (i + 1 AS j) = {x:Int32}', says: /given a name in WHERE/ },
  { sql: 'SELECT id FROM few WHERE now() - ts > {x:Int32}', says: /move the time to the variable/ },
  {
    sql: 'SELECT id FROM few WHERE s = {x:String} AND lc = {x:String}',
    says: /x is compared with two columns/,
  },
  {
    sql: 'SELECT count() OVER (PARTITION BY f) FROM few WHERE f IN {x:Array(Float64)}',
    says: /which tells 0 from -0/,
  },
  // what gives something else each time
  { sql: 'SELECT rand() AS r, s FROM few', says: /^The function rand gives another result/ },
  { sql: 'SELECT s FROM few WHERE generateUUIDv4() != toUUID(s)', says: /generateUUIDv4 gives/ },
  { sql: 'SELECT now() AS t, s FROM few', says: /^The function now is used outside of WHERE/ },
  { sql: 'SELECT s FROM few GROUP BY s HAVING max(d) = today()', says: /today is used outside/ },
  { sql: 'SELECT s FROM few WHERE i = {x:Int32} LIMIT 5', says: /^LIMIT without ORDER BY/ },
  // aggregates
  { sql: 'SELECT any(s) FROM few WHERE i = {x:Int32}', says: /any\(s\) cannot be put together/ },
  { sql: 'SELECT quantile(0.5)(i) FROM few WHERE i > {x:Int32}', says: /cannot be put together/ },
  { sql: 'SELECT sum(DISTINCT i) FROM few WHERE i > {x:Int32}', says: /cannot be put together/ },
  {
    sql: 'SELECT sum(f) FROM few WHERE s = {x:String}',
    says: /^The result of sum\(f\) over float/,
  },
  {
    sql: 'SELECT s, avg(f) FROM few WHERE i = {x:Int32} GROUP BY s',
    says: /avg\(f\) over floating/,
  },
  { sql: 'SELECT groupArray(s) FROM few WHERE i = {x:Int32}', says: /write arraySort\(groupArray/ },
  { sql: 'SELECT sum(i AS j) FROM few WHERE s = {x:String}', says: /^Something inside of sum/ },
  { sql: 'SELECT *, count() FROM few WHERE s > {x:String} GROUP BY ALL', says: /GROUP BY ALL/ },
  {
    sql: 'SELECT *, count() FROM (SELECT s FROM few) WHERE s > {x:String} GROUP BY s',
    says: /^SELECT \* with aggregates/,
  },
  { sql: 'SELECT s, count() FROM few WHERE i > {x:Int32} GROUP BY s WITH TOTALS', says: /TOTALS/ },
  {
    sql: 'SELECT q.s, concat(s, toString(count())) FROM few AS q WHERE i > {x:Int32} GROUP BY q.s',
    says: /write it exactly as in GROUP BY/,
  },
  {
    sql: 'SELECT s, count() + (SELECT max(w) FROM other) FROM few WHERE i > {x:Int32} GROUP BY s',
    says: /holds a name or a subquery beside aggregates/,
  },
  {
    sql: 'SELECT (SELECT 3) AS three, count() FROM few WHERE i > {x:Int32}',
    says: /^A SELECT without GROUP BY mixes aggregates with a named value/,
  },
  // windows
  {
    sql: 'SELECT i, sum(i) OVER (ORDER BY id) FROM few WHERE s = {x:String}',
    says: /rows that the variable x leaves out; write s into its PARTITION BY/,
  },
  {
    sql: 'SELECT sum(f) OVER (PARTITION BY s) FROM few WHERE s = {x:String}',
    says: /floating point numbers over a window/,
  },
  {
    sql: 'SELECT groupArray(i) OVER (PARTITION BY s) FROM few WHERE s = {x:String}',
    says: /^The window function groupArray cannot/,
  },
  {
    sql: 'SELECT s, sum(count()) OVER () FROM few WHERE i > {x:Int32} GROUP BY s',
    says: /^Window functions over groups/,
  },
  {
    sql: 'SELECT sum(i) OVER w FROM few WHERE s = {x:String} WINDOW w AS (PARTITION BY s)',
    says: /^A WINDOW clause/,
  },
  { sql: 'SELECT i FROM few WHERE s = {x:String} QUALIFY count() OVER () > 1', says: /^QUALIFY/ },
  // order and cuts
  { sql: 'SELECT s FROM few WHERE i = {x:Int32} ORDER BY s LIMIT 2 WITH TIES', says: /WITH TIES/ },
  { sql: 'SELECT i FROM few WHERE s = {x:String} ORDER BY i WITH FILL', says: /WITH FILL/ },
  { sql: 'SELECT i FROM few WHERE s = {x:String} ORDER BY ALL', says: /^ORDER BY ALL/ },
  {
    sql: 'SELECT i FROM few WHERE s = {x:String} ORDER BY i LIMIT 1 BY ALL',
    says: /^LIMIT BY ALL/,
  },
  {
    sql: 'SELECT DISTINCT s FROM few WHERE i = {x:Int32} ORDER BY id',
    says: /^SELECT DISTINCT is/,
  },
  // tables and shapes
  { sql: 'SELECT s FROM few WHERE i = {x:Int32} UNION ALL SELECT s FROM one', says: /^A UNION/ },
  { sql: 'SELECT s FROM few WHERE i = {x:Int32} INTERSECT SELECT s FROM one', says: /^A UNION/ },
  { sql: 'SELECT s FROM sampled SAMPLE 1 / 2 WHERE i = {x:Int32}', says: /^SAMPLE/ },
  {
    sql: 'SELECT q.s FROM few AS q ANY LEFT JOIN other AS o USING (s) WHERE i = {x:Int32}',
    says: /^A JOIN that takes any one match/,
  },
  {
    sql: 'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT n FROM r WHERE n = {x:Int32}',
    says: /^WITH RECURSIVE/,
  },
  { sql: 'SELECT arrayJoin(arr) AS a FROM few WHERE a = {x:Int32}', says: /arrayJoin cannot/ },
  {
    sql: 'SELECT s AS `limit` FROM few WHERE i = {x:Int32}',
    says: /name limit is also a word of S/,
  },
  { sql: 'SELECT s AS __v0 FROM few WHERE i = {x:Int32}', says: /name __v0 is reserved/ },
  { sql: 'SELECT s AS __c1 FROM few', says: /name __c1 is reserved/ },
  { sql: 'SELECT i AS a, i AS a FROM few', says: /^Two columns of the result are called a/ },
  { sql: 'SELECT NULL AS nothing FROM few', says: /column nothing has no type/ },
  // CTEs and subqueries
  {
    sql: 'WITH e AS (SELECT * FROM few WHERE s = {x:String}), g AS (SELECT * FROM few WHERE i = {y:Int32}) SELECT count() FROM e, g',
    says: /^The variables are used in a CTE that is not read exactly once/,
  },
  {
    sql: 'SELECT count() FROM (SELECT s FROM few WHERE i = {x:Int32}) AS a JOIN other AS o USING (s)',
    says: /x is used in a subquery that is joined/,
  },
  {
    sql: 'SELECT count() FROM (SELECT s FROM few WHERE i = {x:Int32} ORDER BY id LIMIT 5)',
    says: /x is used in a subquery with LIMIT/,
  },
  {
    sql: 'SELECT count() FROM (SELECT row_number() OVER () FROM few WHERE i = {x:Int32})',
    says: /x is used in a subquery with window functions/,
  },
  {
    sql: 'SELECT q FROM (SELECT count() AS q FROM few WHERE i = {x:Int32})',
    says: /x is used in a subquery of aggregates without GROUP BY/,
  },
  {
    sql: 'SELECT max(q) FROM (SELECT count() AS q FROM few WHERE i > {x:Int32} GROUP BY s)',
    says: /x does more than choose one value in a subquery/,
  },
  {
    sql: 'SELECT uniq(*) FROM (SELECT s FROM few WHERE i = {x:Int32})',
    says: /gives \* to a function or changes its columns/,
  },
  {
    sql: 'SELECT o.w FROM few AS q RIGHT SEMI JOIN other AS o ON q.s = o.s WHERE q.u = {x:UInt8}',
    says: /^A JOIN that takes any one match/,
  },
  // what the engine makes of the names
  {
    sql: 'WITH g AS (SELECT s, u FROM few) SELECT s FROM g WHERE u IN (SELECT w FROM other ANY JOIN few USING (s)) AND s = {x:String}',
    says: /^A JOIN that takes any one match/,
  },
  {
    sql: 'SELECT id, t FROM few WHERE (now() AS t) > ts AND s = {x:String}',
    says: /^The function now is used outside of WHERE/,
  },
  { sql: 'SELECT s AS `a\nb` FROM few WHERE i = {x:Int32}', says: /holds a control character/ },
  // what depends on the order of the rows
  { sql: 'SELECT any(s) FROM few', says: /any depends on the order.*use min, max, argMin/ },
  { sql: 'SELECT u, anyLast(s) FROM few GROUP BY u', says: /anyLast depends on the order/ },
  { sql: 'SELECT groupArray(s) FROM few', says: /groupArray depends.*use arraySort\(groupArray/ },
  { sql: "SELECT groupConcat(',')(s) FROM few", says: /groupConcat depends on the order/ },
  {
    sql: 'SELECT arraySort(x -> x.1, groupArray((i, s))) FROM few',
    says: /groupArray depends on the order/,
  },
  { sql: 'SELECT u, quantile(0.5)(i) FROM few GROUP BY u', says: /use quantileExact/ },
  { sql: 'SELECT topK(3)(s) FROM few', says: /topK depends on the order/ },
  { sql: 'WITH any(s) AS a SELECT a FROM few', says: /any depends on the order/ },
  { sql: 'SELECT (SELECT any(s) FROM few) AS a, 1', says: /any depends on the order/ },
  { sql: 'SELECT s FROM few WHERE id = (SELECT any(id) FROM few)', says: /any depends on/ },
  { sql: 'SELECT s FROM one UNION ALL SELECT any(s) FROM few', says: /any depends on the order/ },
  { sql: 'SELECT s FROM (SELECT s FROM few LIMIT 3)', says: /^A subquery with LIMIT but without/ },
  { sql: 'SELECT id, row_number() OVER () FROM few', says: /row_number has no ORDER BY/ },
  // 0 and -0
  { sql: 'SELECT max(f) FROM few WHERE i > {x:Int32}', says: /^The result of max over.*0 or -0/ },
  { sql: 'SELECT s, min(f) FROM few WHERE s = {x:String} GROUP BY s', says: /^The result of min/ },
  { sql: 'SELECT minIf((f, s), b) FROM few WHERE i > {x:Int32}', says: /^The result of minIf/ },
  {
    sql: 'SELECT quantileExact(f) FROM few WHERE i > {x:Int32}',
    says: /of quantileExact over float/,
  },
  {
    sql: 'SELECT max(f) OVER (PARTITION BY s) FROM few WHERE s = {x:String}',
    says: /^The result of max over/,
  },
  {
    sql: 'SELECT toString(f) AS k, count() FROM few WHERE i > {x:Int32} GROUP BY k',
    says: /^Floating point numbers or times with a time zone are grouped by/,
  },
  {
    sql: "SELECT toString(toTimeZone(ts, 'Europe/Paris')) AS k, count() FROM few WHERE i > {x:Int32} GROUP BY k",
    says: /^Floating point numbers or times with a time zone are grouped by/,
  },
  {
    sql: 'SELECT argMax(id, (n, id)) FROM few WHERE i > {x:Int32}',
    says: /^The result of argMax over tuples or arrays that may hold NULL/,
  },
  {
    sql: 'SELECT n FROM (SELECT u, max(f) AS n FROM few WHERE s = {x:String} GROUP BY u)',
    says: /^The result of max over/,
  },
  {
    sql: 'SELECT n FROM (SELECT u, any(s) AS n FROM few WHERE s = {x:String} GROUP BY u)',
    says: /any\(s\) cannot be put together/,
  },
  {
    sql: 'SELECT id FROM few WHERE (f, s) = {x:Tuple(Float64, String)}',
    says: /^A variable is compared with a tuple or an array of floating/,
  },
  // the engine
  { sql: 'SELECT nothing_such FROM few', says: /^The engine does not take a part of the query/ },
];
