/** Comparisons of one expression with variables, and conditions without any. */
import { isOf } from './expressions.ts';
import { type Atom, any, comparable, ordered } from './reach.ts';

const comparison: Atom = (reach) => {
  const left = any(reach);
  if (left === null) return null;
  const right = reach.variables.scalar(left);
  const isOrdered = ordered(left);
  const operator = reach.random.pick(
    isOrdered ? ['=', '>=', '<', '<=', '>', '!='] : ['=', '=', '!='],
  );
  return reach.random.chance(0.1)
    ? `${right} ${operator} ${left.text}`
    : `${left.text} ${operator} ${right}`;
};

const equality: Atom = (reach) => {
  const left = any(reach, (one) => comparable(one) && one.isKey);
  return left === null ? null : `${left.text} = ${reach.variables.scalar(left)}`;
};

const range: Atom = (reach) => {
  const left = any(reach, ordered);
  if (left === null) return null;
  const [from, to] = reach.variables.range(left);
  return reach.random.pick([
    `${left.text} >= ${from} AND ${left.text} < ${to}`,
    `${left.text} BETWEEN ${from} AND ${to}`,
    `${left.text} > ${from} AND ${left.text} <= ${to}`,
  ]);
};

const membership: Atom = (reach) => {
  const left = any(reach, (one) => comparable(one) && one.kind !== 'odd');
  if (left === null) return null;
  const { random, variables } = reach;
  if (random.chance(0.25))
    return `${left.text} IN (${variables.scalar(left)}, ${variables.scalar(left)})`;
  const list = variables.list(left);
  return random.weighted([
    [4, `${left.text} IN ${list}`],
    [2, `${left.text} NOT IN ${list}`],
    [2, `has(${list}, ${left.text})`],
    [1, `NOT has(${list}, ${left.text})`],
  ]);
};

export const plainAtoms = [comparison, equality, range, membership] as const;

export const constant: Atom = (reach) => {
  const left = any(reach, isOf('int', 'text', 'date', 'time', 'decimal', 'bool'));
  if (left === null) return null;
  const { text, pool, kind } = left;
  const value = `'${String(pool.present[0]).replace(/[\\']/g, '\\$&')}'`;
  if (kind === 'bool') return reach.random.pick([text, `NOT ${text}`]);
  if (kind === 'text')
    return reach.random.pick([
      `${text} != ${value}`,
      `${text} != ''`,
      `${text} IS NOT NULL`,
      `${text} IN (${value}, 'web', 'ok', 'de')`,
    ]);
  if (kind === 'date' || kind === 'time')
    return `${text} ${reach.random.pick(['>=', '<', '!='])} ${value}`;
  return reach.random.pick([
    `${text} > 0`,
    `${text} != 1`,
    `${text} IS NOT NULL`,
    `(${text} < 3 OR ${text} > 5)`,
  ]);
};
