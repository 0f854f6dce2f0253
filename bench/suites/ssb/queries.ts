/** The thirteen queries of the Star Schema Benchmark, in four flights; its own values first. */
import type { SuiteQuery } from '../suite.ts';

/** Revenue that other discounts would have brought. */
function discounts(name: string, time: string, quantity: string, values: SuiteQuery['values']) {
  const sql = `SELECT sum(lo_extendedprice * lo_discount) AS revenue
FROM lineorder, date
WHERE lo_orderdate = d_datekey
  AND ${time}
  AND lo_discount BETWEEN {discount_from:UInt8} AND {discount_to:UInt8}
  AND ${quantity}`;
  return { name, sql, values };
}

/** Revenue by year and brand. */
function brands(name: string, condition: string, values: SuiteQuery['values']) {
  const sql = `SELECT sum(lo_revenue), d_year, p_brand1
FROM lineorder, date, part, supplier
WHERE lo_orderdate = d_datekey
  AND lo_partkey = p_partkey
  AND lo_suppkey = s_suppkey
  AND ${condition}
  AND s_region = {region:String}
GROUP BY d_year, p_brand1
ORDER BY d_year, p_brand1`;
  return { name, sql, values };
}

/** Revenue between places of customers and suppliers, by year. */
function places(name: string, place: string, condition: string, values: SuiteQuery['values']) {
  const sql = `SELECT c_${place}, s_${place}, d_year, sum(lo_revenue) AS revenue
FROM customer, lineorder, supplier, date
WHERE lo_custkey = c_custkey
  AND lo_suppkey = s_suppkey
  AND lo_orderdate = d_datekey
  AND ${condition}
GROUP BY c_${place}, s_${place}, d_year
ORDER BY d_year ASC, revenue DESC`;
  return { name, sql, values };
}

/** Profit by year and what else. */
function profits(name: string, by: string, condition: string, values: SuiteQuery['values']) {
  const sql = `SELECT d_year, ${by}, sum(lo_revenue - lo_supplycost) AS profit
FROM date, customer, supplier, part, lineorder
WHERE lo_custkey = c_custkey
  AND lo_suppkey = s_suppkey
  AND lo_partkey = p_partkey
  AND lo_orderdate = d_datekey
  AND ${condition}
GROUP BY d_year, ${by}
ORDER BY d_year, ${by}`;
  return { name, sql, values };
}

const years = 'd_year >= {year_from:UInt16} AND d_year <= {year_to:UInt16}';
const cities = `(c_city = {city1:String} OR c_city = {city2:String})
  AND (s_city = {city1:String} OR s_city = {city2:String})`;
const makers = '(p_mfgr = {maker1:String} OR p_mfgr = {maker2:String})';
const twoYears = '(d_year = {year1:UInt16} OR d_year = {year2:UInt16})';
const british = { city1: 'UNITED KI1', city2: 'UNITED KI5' };

const quantities = 'lo_quantity BETWEEN {quantity_from:UInt8} AND {quantity_to:UInt8}';

export const queries: readonly SuiteQuery[] = [
  discounts('q1.1', 'd_year = {year:UInt16}', 'lo_quantity < {quantity:UInt8}', [
    { year: 1993, discount_from: 1, discount_to: 3, quantity: 25 },
    { year: 1996, discount_from: 2, discount_to: 4, quantity: 30 },
    { year: 1998, discount_from: 0, discount_to: 10, quantity: 51 },
  ]),
  discounts('q1.2', 'd_yearmonthnum = {month:UInt32}', quantities, [
    { month: 199401, discount_from: 4, discount_to: 6, quantity_from: 26, quantity_to: 35 },
    { month: 199712, discount_from: 1, discount_to: 3, quantity_from: 1, quantity_to: 10 },
    { month: 199206, discount_from: 8, discount_to: 10, quantity_from: 40, quantity_to: 50 },
  ]),
  discounts('q1.3', 'd_weeknuminyear = {week:UInt8}\n  AND d_year = {year:UInt16}', quantities, [
    { week: 6, year: 1994, discount_from: 5, discount_to: 7, quantity_from: 26, quantity_to: 35 },
    { week: 30, year: 1997, discount_from: 0, discount_to: 5, quantity_from: 1, quantity_to: 50 },
    { week: 53, year: 1992, discount_from: 1, discount_to: 2, quantity_from: 20, quantity_to: 30 },
  ]),
  brands('q2.1', 'p_category = {category:String}', [
    { category: 'MFGR#12', region: 'AMERICA' },
    { category: 'MFGR#55', region: 'ASIA' },
    { category: 'MFGR#31', region: 'MIDDLE EAST' },
  ]),
  brands('q2.2', 'p_brand1 BETWEEN {brand_from:String} AND {brand_to:String}', [
    { brand_from: 'MFGR#2221', brand_to: 'MFGR#2228', region: 'ASIA' },
    { brand_from: 'MFGR#11', brand_to: 'MFGR#12', region: 'EUROPE' },
    { brand_from: 'MFGR#4530', brand_to: 'MFGR#459', region: 'AFRICA' },
  ]),
  brands('q2.3', 'p_brand1 = {brand:String}', [
    { brand: 'MFGR#2221', region: 'EUROPE' },
    { brand: 'MFGR#1317', region: 'AMERICA' },
    { brand: 'MFGR#556', region: 'ASIA' },
  ]),
  places(
    'q3.1',
    'nation',
    `c_region = {region:String} AND s_region = {region:String}\n  AND ${years}`,
    [
      { region: 'ASIA', year_from: 1992, year_to: 1997 },
      { region: 'EUROPE', year_from: 1995, year_to: 1995 },
      { region: 'AFRICA', year_from: 1990, year_to: 2000 },
    ],
  ),
  places(
    'q3.2',
    'city',
    `c_nation = {nation:String} AND s_nation = {nation:String}\n  AND ${years}`,
    [
      { nation: 'UNITED STATES', year_from: 1992, year_to: 1997 },
      { nation: 'CHINA', year_from: 1994, year_to: 1996 },
      { nation: 'PERU', year_from: 1998, year_to: 1998 },
    ],
  ),
  places('q3.3', 'city', `${cities}\n  AND ${years}`, [
    { ...british, year_from: 1992, year_to: 1997 },
    { city1: 'CHINA    0', city2: 'CHINA    9', year_from: 1992, year_to: 1998 },
    { city1: 'PERU     3', city2: 'BRAZIL   4', year_from: 1995, year_to: 1998 },
  ]),
  places('q3.4', 'city', `${cities}\n  AND d_yearmonth = {month:String}`, [
    { ...british, month: 'Dec1997' },
    { city1: 'CHINA    0', city2: 'CHINA    9', month: 'Jan1992' },
    { city1: 'PERU     3', city2: 'PERU     4', month: 'Jul1995' },
  ]),
  profits(
    'q4.1',
    'c_nation',
    `c_region = {region:String}\n  AND s_region = {region:String}\n  AND ${makers}`,
    [
      { region: 'AMERICA', maker1: 'MFGR#1', maker2: 'MFGR#2' },
      { region: 'ASIA', maker1: 'MFGR#3', maker2: 'MFGR#5' },
      { region: 'MIDDLE EAST', maker1: 'MFGR#4', maker2: 'MFGR#4' },
    ],
  ),
  profits(
    'q4.2',
    's_nation, p_category',
    `c_region = {region:String}\n  AND s_region = {region:String}\n  AND ${twoYears}\n  AND ${makers}`,
    [
      { region: 'AMERICA', year1: 1997, year2: 1998, maker1: 'MFGR#1', maker2: 'MFGR#2' },
      { region: 'EUROPE', year1: 1992, year2: 1994, maker1: 'MFGR#5', maker2: 'MFGR#3' },
      { region: 'AFRICA', year1: 1995, year2: 1995, maker1: 'MFGR#1', maker2: 'MFGR#4' },
    ],
  ),
  profits(
    'q4.3',
    's_city, p_brand1',
    `c_region = {region:String}\n  AND s_nation = {nation:String}\n  AND ${twoYears}\n  AND p_category = {category:String}`,
    [
      {
        region: 'AMERICA',
        nation: 'UNITED STATES',
        category: 'MFGR#14',
        year1: 1997,
        year2: 1998,
      },
      { region: 'ASIA', nation: 'INDIA', category: 'MFGR#22', year1: 1993, year2: 1996 },
      { region: 'EUROPE', nation: 'FRANCE', category: 'MFGR#51', year1: 1992, year2: 1998 },
    ],
  ),
];
