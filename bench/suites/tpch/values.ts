/** Values of the substitution parameters: those of the validation (clause 2.4) first, then others that the clause allows. */
import type { Values } from '../suite.ts';

export const values: Readonly<Record<string, readonly Values[]>> = {
  q01: [{ delta: 90 }, { delta: 60 }, { delta: 120 }],
  q02: [
    { size: 15, type: 'BRASS', region: 'EUROPE' },
    { size: 30, type: 'TIN', region: 'ASIA' },
    { size: 3, type: 'STEEL', region: 'AMERICA' },
  ],
  q03: [
    { segment: 'BUILDING', date: '1995-03-15' },
    { segment: 'AUTOMOBILE', date: '1995-03-01' },
    { segment: 'HOUSEHOLD', date: '1995-03-31' },
  ],
  q04: [{ date: '1993-07-01' }, { date: '1997-10-01' }, { date: '1995-02-01' }],
  q05: [
    { region: 'ASIA', date: '1994-01-01' },
    { region: 'AFRICA', date: '1993-01-01' },
    { region: 'MIDDLE EAST', date: '1997-01-01' },
  ],
  q06: [
    { date: '1994-01-01', discount: '0.06', quantity: 24 },
    { date: '1997-01-01', discount: '0.02', quantity: 25 },
    { date: '1993-01-01', discount: '0.09', quantity: 24 },
  ],
  q07: [
    { nation1: 'FRANCE', nation2: 'GERMANY' },
    { nation1: 'CHINA', nation2: 'BRAZIL' },
    { nation1: 'EGYPT', nation2: 'KENYA' },
  ],
  q08: [
    { nation: 'BRAZIL', region: 'AMERICA', type: 'ECONOMY ANODIZED STEEL' },
    { nation: 'INDIA', region: 'ASIA', type: 'PROMO BRUSHED COPPER' },
    { nation: 'FRANCE', region: 'EUROPE', type: 'SMALL PLATED NICKEL' },
  ],
  q09: [{ color: 'green' }, { color: 'rosy' }, { color: 'peru' }],
  q10: [{ date: '1993-10-01' }, { date: '1994-01-01' }, { date: '1995-01-01' }],
  q11: [
    { nation: 'GERMANY', fraction: '0.0001' },
    { nation: 'JAPAN', fraction: '0.002' },
    { nation: 'PERU', fraction: '0.01' },
  ],
  q12: [
    { shipmode1: 'MAIL', shipmode2: 'SHIP', date: '1994-01-01' },
    { shipmode1: 'TRUCK', shipmode2: 'FOB', date: '1996-01-01' },
    { shipmode1: 'RAIL', shipmode2: 'AIR', date: '1997-01-01' },
  ],
  q13: [
    { word1: 'special', word2: 'requests' },
    { word1: 'pending', word2: 'accounts' },
    { word1: 'express', word2: 'deposits' },
  ],
  q14: [{ date: '1995-09-01' }, { date: '1993-01-01' }, { date: '1997-12-01' }],
  q15: [{ date: '1996-01-01' }, { date: '1993-01-01' }, { date: '1997-10-01' }],
  q16: [
    { brand: 'Brand#45', type: 'MEDIUM POLISHED', ...each('size', [49, 14, 23, 45, 19, 3, 36, 9]) },
    { brand: 'Brand#11', type: 'PROMO BRUSHED', ...each('size', [1, 2, 3, 4, 5, 6, 7, 8]) },
    { brand: 'Brand#53', type: 'SMALL TIN', ...each('size', [50, 40, 30, 20, 10, 11, 21, 31]) },
  ],
  q17: [
    { brand: 'Brand#23', container: 'MED BOX' },
    { brand: 'Brand#55', container: 'JUMBO PKG' },
    { brand: 'Brand#12', container: 'SM CASE' },
  ],
  q18: [{ quantity: 300 }, { quantity: 312 }, { quantity: 315 }],
  q19: [
    {
      ...each('quantity', [1, 10, 20]),
      ...each('brand', ['Brand#12', 'Brand#23', 'Brand#34']),
    },
    {
      ...each('quantity', [10, 20, 30]),
      ...each('brand', ['Brand#51', 'Brand#11', 'Brand#33']),
    },
    {
      ...each('quantity', [5, 15, 25]),
      ...each('brand', ['Brand#22', 'Brand#22', 'Brand#45']),
    },
  ],
  q20: [
    { color: 'forest', date: '1994-01-01', nation: 'CANADA' },
    { color: 'ivory', date: '1996-01-01', nation: 'CHINA' },
    { color: 'lemon', date: '1993-01-01', nation: 'KENYA' },
  ],
  q21: [{ nation: 'SAUDI ARABIA' }, { nation: 'ROMANIA' }, { nation: 'INDIA' }],
  q22: [
    each('i', ['13', '31', '23', '29', '30', '18', '17']),
    each('i', ['10', '11', '12', '14', '15', '16', '19']),
    each('i', ['34', '33', '32', '28', '27', '26', '25']),
  ],
};

/** `size1`, `size2` and so on. */
function each(name: string, list: readonly (string | number)[]): Values {
  return Object.fromEntries(list.map((value, at) => [`${name}${at + 1}`, value]));
}
