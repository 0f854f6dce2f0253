/** The column types of a load's files. They only ever widen, so no value changes. Pure. */
import { bareType } from '../../engine/clickhouse/load/fit-to-table.ts';
import type { Column } from '../../engine/query-engine.ts';
import { UsageError } from '../usage-error.ts';

export interface FileColumns {
  readonly file: string;
  readonly columns: readonly Column[];
}

/** Common columns of files that are loaded together. Throws a UsageError when they do not match. */
export function mergeColumns(files: readonly FileColumns[]): readonly Column[] {
  const [first, ...others] = files;
  if (first === undefined) return [];
  return others.reduce<readonly Column[]>((merged, other) => {
    requireSameNames({ file: first.file, columns: merged }, other);
    return merged.map(({ name, type }) => ({
      name,
      type: widest(type, typeOf(other.columns, name), () => {
        const types = `${type} in ${first.file} and ${typeOf(other.columns, name)} in ${other.file}`;
        return new UsageError(
          `The column ${name} is ${types}. Give its type with --column, or load the files separately.`,
        );
      }),
    }));
  }, first.columns);
}

/** `--column name=type`, by name. Throws a UsageError for any other form, and for a name given twice. */
export function parseColumnTypes(given: readonly string[]): ReadonlyMap<string, string> {
  const types = new Map<string, string>();
  for (const text of given) {
    const at = text.indexOf('=');
    const [name, type] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
    if (at <= 0 || name === '' || type === '') {
      throw new UsageError(
        `--column takes a name and a type, as in --column 'amount=Decimal(18,2)', not ${text}.`,
      );
    }
    if (types.has(name)) throw new UsageError(`--column gives the type of ${name} twice.`);
    types.set(name, type);
  }
  return types;
}

function widest(one: string, other: string, refuse: () => UsageError): string {
  const [a, b] = [bareType(one), bareType(other)];
  const isNullable = a.isNullable || b.isNullable;
  const types = new Set([a.type, b.type]);
  const isNumber = types.size === 2 && types.has('Int64') && types.has('Float64');
  if (types.size === 2 && !isNumber) throw refuse();
  const type = isNumber ? 'Float64' : a.type;
  return isNullable ? `Nullable(${type})` : type;
}

function requireSameNames(one: FileColumns, other: FileColumns): void {
  for (const [a, b] of [
    [one, other],
    [other, one],
  ] as const) {
    const missing = a.columns.find(({ name }) => !b.columns.some((column) => column.name === name));
    if (missing !== undefined) {
      throw new UsageError(`${b.file} has no column ${missing.name}, which ${a.file} has.`);
    }
  }
}

function typeOf(columns: readonly Column[], name: string): string {
  return columns.find((column) => column.name === name)?.type ?? '';
}
