/** Rows by the rules of clause 4.2.3 of TPC-H, with hashes in the place of its random numbers. */
import {
  asCents,
  listOf,
  numbered,
  randomBelow,
  randomBetween,
  randomItem,
  randomMoney,
  randomText,
} from '../random-sql.ts';
import {
  adjectives,
  adverbs,
  colors,
  containerWords,
  instructions,
  modes,
  nations,
  nouns,
  priorities,
  regions,
  segments,
  typeWords,
  verbs,
} from './words.ts';

/** Scale 1 has 6,000,000 line items, 1,500,000 orders, 150,000 customers, 200,000 parts and 10,000 suppliers. */
export function fill(scale: number): readonly string[] {
  const count = (atOne: number) => Math.max(4, Math.round(scale * atOne));
  const suppliers = count(10_000);
  const parts = count(200_000);
  const customers = count(150_000);
  return [
    region,
    nation,
    part(parts),
    supplier(suppliers),
    partsupp(parts, suppliers),
    customer(customers),
    lineitem({ orders: 10 * customers, parts, suppliers }),
    orders(customers, Math.max(1, Math.round(scale * 1000))),
  ];
}

const region = `INSERT INTO region
SELECT number, ${listOf(regions)}[number + 1], ${sentence('r', 'number')} FROM numbers(${regions.length})`;

const nation = `INSERT INTO nation
SELECT number, ${listOf(nations.map(([name]) => name))}[number + 1], [${nations.map(([, at]) => at).join(', ')}][number + 1], ${sentence('n', 'number')}
FROM numbers(${nations.length})`;

function part(parts: number): string {
  const word = (words: readonly string[], salt: string) => randomItem(words, salt, 'key');
  const maker = randomBetween([1, 5], 'p maker', 'key');
  // Five different words: the first ones of the list in an order of the part's own.
  const name = `arrayStringConcat(arraySlice(arraySort(w -> sipHash64('p name', key, w), ${listOf(colors)}), 1, 5), ' ')`;
  return `INSERT INTO part
SELECT number + 1 AS key, ${name}, concat('Manufacturer#', toString(${maker})),
  concat('Brand#', toString(${maker}), toString(${randomBetween([1, 5], 'p brand', 'key')})),
  concat(${typeWords.map((words, at) => word(words, `p type ${at}`)).join(", ' ', ")}),
  ${randomBetween([1, 50], 'p size', 'key')},
  concat(${containerWords.map((words, at) => word(words, `p container ${at}`)).join(", ' ', ")}),
  ${asCents(retailCents('key'))}, ${sentence('p', 'key')}
FROM numbers(${parts})`;
}

function retailCents(key: string): string {
  return `(90000 + intDiv(${key}, 10) % 20001 + 100 * (${key} % 1000))`;
}

function supplier(suppliers: number): string {
  const nationKey = randomBelow(25, 's nation', 'key');
  // Five of ten thousand complain and five recommend; at small scales at least one.
  const comment = `multiIf(key % 2000 = 17 OR key = 3, concat('Customer ', ${sentence('s', 'key')}, ' Complaints'),
    key % 2000 = 1017 OR key = 5, concat('Customer ', ${sentence('s', 'key')}, ' Recommends'), ${sentence('s', 'key')})`;
  return `INSERT INTO supplier
SELECT number + 1 AS key, ${numbered('Supplier', 'key')}, ${randomText([10, 40], 's address', 'key')},
  ${nationKey}, ${phone('s', nationKey)}, ${randomMoney([-99_999, 999_999], 's balance', 'key')}, ${comment}
FROM numbers(${suppliers})`;
}

/** The `at`th, from 0, of the four suppliers of a part. */
function supplierOf(partKey: string, at: string, suppliers: number): string {
  return `((${partKey} + ${at} * (intDiv(${suppliers}, 4) + intDiv(${partKey} - 1, ${suppliers}))) % ${suppliers} + 1)`;
}

function partsupp(parts: number, suppliers: number): string {
  return `INSERT INTO partsupp
SELECT intDiv(number, 4) + 1 AS key, ${supplierOf('key', 'number % 4', suppliers)},
  ${randomBetween([1, 9999], 'ps available', 'number')}, ${randomMoney([100, 100_000], 'ps cost', 'number')}, ${sentence('ps', 'number')}
FROM numbers(${4 * parts})`;
}

function customer(customers: number): string {
  const nationKey = randomBelow(25, 'c nation', 'key');
  return `INSERT INTO customer
SELECT number + 1 AS key, ${numbered('Customer', 'key')}, ${randomText([10, 40], 'c address', 'key')},
  ${nationKey}, ${phone('c', nationKey)}, ${randomMoney([-99_999, 999_999], 'c balance', 'key')},
  ${randomItem(segments, 'c segment', 'key')}, ${sentence('c', 'key')}
FROM numbers(${customers})`;
}

function phone(salt: string, nationKey: string): string {
  const digits = [
    [100, 999],
    [100, 999],
    [1000, 9999],
  ] as const;
  const groups = digits.map(
    (range, at) => `toString(${randomBetween(range, `${salt} phone ${at}`, 'key')})`,
  );
  return `concat(toString(10 + ${nationKey}), '-', ${groups.join(", '-', ")})`;
}

/** Orders use the first 8 of every 32 keys. */
const orderKey = 'intDiv(number, 8) * 32 + number % 8 + 1';

/** Between 1992-01-01 and 151 days before the end of 1998. */
const orderDate = `(toDate('1992-01-01') + ${randomBelow(2406, 'o date', 'number')})`;

const currentDate = "toDate('1995-06-17')";

interface Counts {
  readonly orders: number;
  readonly parts: number;
  readonly suppliers: number;
}

function lineitem({ orders: count, parts, suppliers }: Counts): string {
  const line = 'number, line';
  const random = (range: readonly [number, number], salt: string) =>
    randomBetween(range, `l ${salt}`, line);
  const partKey = random([1, parts], 'part');
  const suppKey = supplierOf('part_key', randomBelow(4, 'l supplier', line), suppliers);
  return `INSERT INTO lineitem
WITH ${orderDate} AS ordered, ${partKey} AS part_key, ${random([1, 50], 'quantity')} AS quantity,
  ordered + ${random([1, 121], 'ship')} AS shipped, shipped + ${random([1, 30], 'receipt')} AS received
SELECT ${orderKey}, part_key, ${suppKey}, line, quantity, ${asCents(`quantity * ${retailCents('part_key')}`)},
  ${asCents(random([0, 10], 'discount'))}, ${asCents(random([0, 8], 'tax'))},
  if(received <= ${currentDate}, ${randomItem(['R', 'A'], 'l return', line)}, 'N'),
  if(shipped > ${currentDate}, 'O', 'F'), shipped, ordered + ${random([30, 90], 'commit')}, received,
  ${randomItem(instructions, 'l instruction', line)}, ${randomItem(modes, 'l mode', line)}, ${sentence('l', line)}
FROM numbers(${count}) ARRAY JOIN range(1, 2 + ${randomBelow(7, 'l count', 'number')}) AS line`;
}

/** From the line items, whose status and prices they sum up. A third of the customers has no orders. */
function orders(customers: number, clerks: number): string {
  const third = randomBelow(Math.floor(customers / 3), 'o customer', 'number');
  const custKey = `3 * ${third} + ${randomBetween([1, 2], 'o customer 2', 'number')}`;
  const price = 'l_extendedprice * (1 + l_tax) * (1 - l_discount)';
  const status =
    "multiIf(countIf(l_linestatus = 'O') = 0, 'F', countIf(l_linestatus = 'F') = 0, 'O', 'P')";
  return `INSERT INTO orders
WITH intDiv(l_orderkey, 32) * 8 + l_orderkey % 32 - 1 AS number
SELECT l_orderkey, ${custKey}, ${status}, toDecimal64(sum(${price}), 2), ${orderDate}, ${randomItem(priorities, 'o priority', 'number')},
  ${numbered('Clerk', randomBetween([1, clerks], 'o clerk', 'number'))}, 0, ${sentence('o', 'number')}
FROM lineitem GROUP BY l_orderkey`;
}

/** A sentence of the specification's grammar, with two noun phrases. */
function sentence(salt: string, key: string): string {
  const lists = [adverbs, adjectives, nouns, verbs, adjectives, nouns];
  const words = lists.map((list, at) => randomItem(list, `${salt} ${at}`, key));
  return `arrayStringConcat([${words.join(', ')}], ' ')`;
}
