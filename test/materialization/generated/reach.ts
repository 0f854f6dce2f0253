/** What a SELECT is generated with. */
import { anExpression, columnExpression, type Expression, isOf } from './expressions.ts';
import type { Random } from './random.ts';
import { type TableName, tables } from './schema.ts';
import type { Variables } from './variables.ts';

export interface Given {
  readonly random: Random;
  readonly variables: Variables;
  /** Whether variables stand anywhere and in any condition, or only in comparisons. */
  readonly isBold: boolean;
}

export interface Reach extends Given {
  /** The columns that its expressions may use. */
  readonly scope: readonly Expression[];
}

/** Null where the scope has nothing for it. */
export type Atom = (reach: Reach) => string | null;

export const comparable = isOf(
  'int',
  'big',
  'decimal',
  'float',
  'odd',
  'date',
  'time',
  'text',
  'bool',
  'enum',
  'uuid',
);
export const ordered = isOf('int', 'decimal', 'float', 'date', 'time');

/** Null where the scope has none. */
export const any = ({ random, scope }: Reach, isWanted = comparable) => {
  const found = anExpression(random, scope, isWanted);
  return isWanted(found) ? found : null;
};

export function columnsOf(name: TableName, alias: string): readonly Expression[] {
  return tables[name].columns.map((column) => columnExpression(column, alias));
}
