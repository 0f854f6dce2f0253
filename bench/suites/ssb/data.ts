/** Rows by the rules of the Star Schema Benchmark, with hashes in the place of its random numbers. */
import { numbered, randomBelow, randomBetween, randomItem, randomText } from '../random-sql.ts';
import {
  colors,
  containerWords,
  modes,
  nations,
  priorities,
  regions,
  segments,
  typeWords,
} from '../tpch/words.ts';

/** Scale 1 has 6,000,000 line orders, 30,000 customers, 2,000 suppliers and 200,000 parts; every city has some people at any scale. */
export function fill(scale: number): readonly string[] {
  const count = (atOne: number, least: number) => Math.max(least, Math.round(scale * atOne));
  const customers = count(30_000, 3000);
  const counts = { customers, suppliers: count(2000, 1000), parts: count(200_000, 1000) };
  return [
    date,
    part(counts.parts),
    people('supplier', 's', counts.suppliers),
    people('customer', 'c', counts.customers),
    lineorder(count(1_500_000, 1), counts),
  ];
}

const firstDay = "toDate('1992-01-01')";
/** Of the years 1992 to 1998. */
const days = 2557;

const date = `INSERT INTO date
WITH ${firstDay} + number AS day
SELECT toYYYYMMDD(day), formatDateTime(day, '%M %e, %Y'), formatDateTime(day, '%W'), formatDateTime(day, '%M'), toYear(day),
  toYYYYMM(day), formatDateTime(day, '%b%Y'), toDayOfWeek(day, 3), toDayOfMonth(day), toDayOfYear(day), toMonth(day),
  1 + intDiv(toDayOfYear(day) - 1, 7),
  multiIf(toMonth(day) = 12, 'Christmas', toMonth(day) >= 9, 'Fall', toMonth(day) >= 6, 'Summer', toMonth(day) >= 3, 'Spring', 'Winter'),
  toDayOfWeek(day) = 6, day = toLastDayOfMonth(day), formatDateTime(day, '%m%d') IN ('0101', '0704', '1225'), toDayOfWeek(day) < 6
FROM numbers(${days})`;

function part(parts: number): string {
  const word = (words: readonly string[], salt: string) => randomItem(words, salt, 'key');
  const digit = (greatest: number, salt: string) =>
    `toString(${randomBetween([1, greatest], salt, 'key')})`;
  return `INSERT INTO part
WITH concat('MFGR#', ${digit(5, 'p maker')}) AS maker, concat(maker, ${digit(5, 'p category')}) AS category
SELECT number + 1 AS key, concat(${word(colors, 'p name')}, ' ', ${word(colors, 'p name 2')}), maker, category,
  concat(category, ${digit(40, 'p brand')}), ${word(colors, 'p color')},
  concat(${typeWords.map((words, at) => word(words, `p type ${at}`)).join(", ' ', ")}),
  ${randomBetween([1, 50], 'p size', 'key')},
  concat(${containerWords.map((words, at) => word(words, `p container ${at}`)).join(", ' ', ")})
FROM numbers(${parts})`;
}

/** A city is the first nine characters of its nation and a digit. */
function people(table: 'supplier' | 'customer', salt: 's' | 'c', count: number): string {
  const nation = randomBelow(nations.length, `${salt} nation`, 'key');
  const names = nations.map(([name]) => `'${name}'`).join(', ');
  const regionOf = nations.map(([, region]) => `'${regions[region]}'`).join(', ');
  const digits = (range: readonly [number, number], at: number) =>
    `toString(${randomBetween(range, `${salt} phone ${at}`, 'key')})`;
  const phone = `concat(toString(9 + at), '-', ${digits([100, 999], 1)}, '-', ${digits([100, 999], 2)}, '-', ${digits([1000, 9999], 3)})`;
  const more = salt === 'c' ? `, ${randomItem(segments, 'c segment', 'key')}` : '';
  return `INSERT INTO ${table}
WITH 1 + ${nation} AS at, [${names}][at] AS nation
SELECT number + 1 AS key, ${numbered(salt === 'c' ? 'Customer' : 'Supplier', 'key')}, ${randomText([10, 25], `${salt} address`, 'key')},
  concat(rightPad(substring(nation, 1, 9), 9), toString(${randomBelow(10, `${salt} city`, 'key')})), nation, [${regionOf}][at], ${phone}${more}
FROM numbers(${count})`;
}

interface Counts {
  readonly customers: number;
  readonly suppliers: number;
  readonly parts: number;
}

/** One to seven lines an order; the order's total is that of its lines, so it is a sum over their array. */
function lineorder(orders: number, { customers, suppliers, parts }: Counts): string {
  const random = (range: readonly [number, number], salt: string) =>
    randomBetween(range, `lo ${salt}`, 'number, line');
  const retail = '(90000 + intDiv(part_key, 10) % 20001 + 100 * (part_key % 1000))';
  const day = `(${firstDay} + ${randomBelow(2406, 'lo date', 'number')})`;
  return `INSERT INTO lineorder
WITH ${random([1, parts], 'part')} AS part_key, ${random([1, 50], 'quantity')} AS quantity, quantity * ${retail} AS price,
  ${random([0, 10], 'discount')} AS discount, ${random([0, 8], 'tax')} AS tax
SELECT intDiv(number, 8) * 32 + number % 8 + 1, line, ${randomBetween([1, customers], 'lo customer', 'number')}, part_key,
  ${random([1, suppliers], 'supplier')}, toYYYYMMDD(${day}), ${randomItem(priorities, 'lo priority', 'number')}, 0, quantity, price,
  intDiv(sum(price * (100 + tax) * (100 - discount)) OVER (PARTITION BY number), 10000), discount,
  intDiv(price * (100 - discount), 100), intDiv(6 * ${retail}, 10), tax,
  toYYYYMMDD(${day} + ${random([30, 90], 'commit')}), ${randomItem(modes, 'lo mode', 'number, line')}
FROM numbers(${orders}) ARRAY JOIN range(1, 2 + ${randomBelow(7, 'lo count', 'number')}) AS line`;
}
