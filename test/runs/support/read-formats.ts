/** Reads the bytes of a response with other people's programs: csv-parse, apache-arrow and hyparquet. */
import { zstdDecompressSync } from 'node:zlib';
import { DataType, type Decimal, type Timestamp, tableFromIPC, type Vector } from 'apache-arrow';
import { parse } from 'csv-parse/sync';
import { type ParquetParsers, parquetMetadata, parquetRead } from 'hyparquet';
import type { StreamFormat } from '../../../src/model/result-format.ts';

/** A value with every digit as text; only null, lists and objects stay what they are. */
export type Tree = string | null | readonly Tree[] | { readonly [name: string]: Tree };

export interface ReadRows {
  readonly names: readonly string[];
  readonly rows: readonly (readonly Tree[])[];
}

export async function readFormat(format: StreamFormat, bytes: Buffer): Promise<ReadRows> {
  switch (format) {
    case 'ndjson':
      return readNdjson(bytes);
    case 'csv':
      return readCsv(bytes);
    case 'arrow':
      return readArrow(bytes);
    case 'parquet':
      return readParquet(bytes);
  }
}

/** Numbers as they were written; texts that could be taken for one get quotes. */
export function parseJson(text: string): Tree {
  return JSON.parse(text, (_key, value: unknown, context?: { readonly source?: string }) => {
    if (typeof value === 'number' || typeof value === 'boolean') return context?.source ?? '';
    return typeof value === 'string' ? quoted(value) : value;
  }) as Tree;
}

const quoted = (text: string) => JSON.stringify(text);

function readNdjson(bytes: Buffer): ReadRows {
  const lines = bytes.toString('utf8').split('\n').slice(0, -1);
  const objects = lines.map((line) => parseJson(line) as { readonly [name: string]: Tree });
  return {
    names: Object.keys(objects[0] ?? {}),
    rows: objects.map((object) => Object.values(object)),
  };
}

/** A cell without quotes and without text is null. */
function readCsv(bytes: Buffer): ReadRows {
  const cast = (value: string, { quoting }: { readonly quoting: boolean }) =>
    quoting || value !== '' ? value : null;
  const options = { cast, record_delimiter: '\r\n', encoding: 'utf8' as const };
  const [names = [], ...rows] = parse(bytes, options) as unknown as (string | null)[][];
  return { names: names.map(String), rows };
}

function readArrow(bytes: Buffer): ReadRows {
  const table = tableFromIPC(bytes);
  const columns = table.schema.fields.map((_field, at) => table.getChildAt(at) as Vector);
  return {
    names: table.schema.fields.map(({ name }) => name),
    rows: Array.from({ length: table.numRows }, (_row, at) =>
      columns.map((column) => fromArrow(column.get(at), column.type)),
    ),
  };
}

function fromArrow(value: unknown, type: DataType): Tree {
  if (value === null || value === undefined) return null;
  if (DataType.isList(type)) {
    return [...(value as Vector)].map((item) =>
      fromArrow(item, type.children[0]?.type as DataType),
    );
  }
  if (DataType.isStruct(type)) {
    const struct = value as { toJSON(): Record<string, unknown> };
    const fields = type.children.map(({ name, type: inner }) => [name, inner] as const);
    const json = struct.toJSON();
    return Object.fromEntries(fields.map(([name, inner]) => [name, fromArrow(json[name], inner)]));
  }
  if (DataType.isMap(type)) return fromArrowMap(value as Iterable<[unknown, unknown]>, type);
  if (DataType.isDecimal(type)) return fromArrowDecimal(value as Uint32Array, type);
  if (DataType.isTimestamp(type)) return fromMilliseconds(Number(value), type);
  if (DataType.isDate(type)) return quoted(new Date(Number(value)).toISOString().slice(0, 10));
  return fromScalar(value);
}

function fromArrowMap(value: Iterable<[unknown, unknown]>, type: DataType): Tree {
  const entry = type.children[0]?.type as DataType;
  const [key, inner] = entry.children.map((child) => child.type as DataType);
  return Object.fromEntries(
    [...value].map(([name, item]) => [
      keyText(fromArrow(name, key as DataType)),
      fromArrow(item, inner as DataType),
    ]),
  );
}

function fromArrowDecimal(words: Uint32Array, { scale }: Decimal): Tree {
  const value = [...words].reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n);
  return quoted(withPoint(BigInt.asIntN(words.length * 32, value), scale));
}

function withPoint(value: bigint, scale: number): string {
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  const sign = value < 0n ? '-' : '';
  const whole = digits.slice(0, digits.length - scale);
  return scale === 0 ? `${sign}${whole}` : `${sign}${whole}.${digits.slice(-scale)}`;
}

/** The package gives milliseconds, whatever the unit. */
function fromMilliseconds(value: number, _type: Timestamp): Tree {
  return quoted(new Date(Math.floor(value)).toISOString());
}

const parsers: ParquetParsers = {
  timestampFromMilliseconds: (value: bigint) => new Date(Number(value)).toISOString(),
  timestampFromMicroseconds: (value: bigint) =>
    new Date(Number(floorDivide(value, 1000n))).toISOString(),
  timestampFromNanoseconds: (value: bigint) =>
    new Date(Number(floorDivide(value, 1000000n))).toISOString(),
  dateFromDays: (days: number) => new Date(days * 86_400_000).toISOString().slice(0, 10),
} as unknown as ParquetParsers;

function floorDivide(value: bigint, by: bigint): bigint {
  return value >= 0n ? value / by : -((-value + by - 1n) / by);
}

async function readParquet(bytes: Buffer): Promise<ReadRows> {
  const file = new Uint8Array(bytes).buffer;
  const { schema } = parquetMetadata(file);
  let rows: readonly (readonly unknown[])[] = [];
  await parquetRead({
    file,
    parsers,
    compressors: { ZSTD: (input) => new Uint8Array(zstdDecompressSync(input)) },
    onComplete: (read) => {
      rows = read as unknown as readonly (readonly unknown[])[];
    },
  });
  return {
    names: topLevelNames(schema),
    rows: rows.map((row) => row.map(fromParquet)),
  };
}

/** The schema is a tree, its nodes in the order of a walk. */
function topLevelNames(
  schema: readonly { readonly name: string; readonly num_children?: number }[],
): readonly string[] {
  const names: string[] = [];
  const sizeAt = (at: number): number => {
    let next = at + 1;
    for (let child = 0; child < (schema[at]?.num_children ?? 0); child += 1) next = sizeAt(next);
    return next;
  };
  for (let at = 1; at < schema.length; at = sizeAt(at)) names.push(schema[at]?.name ?? '');
  return names;
}

function fromParquet(value: unknown): Tree {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.map(fromParquet);
  if (typeof value === 'object' && !(value instanceof Uint8Array)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, fromParquet(item)]),
    );
  }
  return fromScalar(value);
}

function fromScalar(value: unknown): Tree {
  if (value instanceof Uint8Array) return quoted(Buffer.from(value).toString('utf8'));
  if (typeof value === 'string') return quoted(value);
  return Object.is(value, -0) ? '-0' : String(value);
}

function keyText(key: Tree): string {
  if (typeof key !== 'string') return JSON.stringify(key);
  return key.startsWith('"') ? String(JSON.parse(key)) : key;
}
