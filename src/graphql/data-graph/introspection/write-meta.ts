/** Writers of the JSON text of meta values, compiled from what is asked of them. */
import type { Asked } from './asked.ts';

/** The JSON text of one value. */
export type WriteMeta<Value> = (value: Value) => string;

/** What `isStatic` and `isDeprecated` are read from; each member of a meta type is a property of its name. */
interface MetaValue {
  readonly isStatic?: boolean;
  readonly isDeprecated?: boolean;
}

interface Part {
  /** The key, with what separates it from the one before. */
  readonly before: string;
  readonly name: string;
  readonly withDeprecated: boolean;
  /** Null for `__typename`, which is in `before`. */
  readonly write: WriteMeta<unknown> | null;
}

/** Texts of values that all graphs share are remembered for as long as the writer is. */
export function compileWriter<Value extends object>(members: readonly Asked[]): WriteMeta<Value> {
  const parts = members.map(toPart);
  const shared = new Map<Value, string>();
  const write = (value: Value): string => {
    let text = '{';
    for (const part of parts) {
      text += part.before;
      if (part.write === null) continue;
      const member: unknown = value[part.name as keyof Value];
      text += Array.isArray(member)
        ? listText(member, part.withDeprecated, part.write)
        : part.write(member);
    }
    return `${text}}`;
  };
  return (value) => {
    if ((value as MetaValue).isStatic !== true) return write(value);
    const known = shared.get(value);
    if (known !== undefined) return known;
    const text = write(value);
    shared.set(value, text);
    return text;
  };
}

function toPart({ key, name, parent, withDeprecated, members }: Asked, index: number): Part {
  const before = `${index === 0 ? '' : ','}${JSON.stringify(key)}:`;
  if (name === '__typename') {
    return { before: `${before}${JSON.stringify(parent)}`, name, withDeprecated, write: null };
  }
  return { before, name, withDeprecated, write: members === null ? leafText : objectText(members) };
}

function objectText(members: readonly Asked[]): WriteMeta<unknown> {
  const write = compileWriter(members);
  return (value) => (typeof value === 'object' && value !== null ? write(value) : 'null');
}

function leafText(value: unknown): string {
  return value === undefined ? 'null' : JSON.stringify(value);
}

export function listText<Value>(
  values: readonly Value[],
  withDeprecated: boolean,
  write: WriteMeta<Value>,
): string {
  let text = '';
  for (const value of values) {
    if (!withDeprecated && isDeprecated(value)) continue;
    text += text === '' ? write(value) : `,${write(value)}`;
  }
  return `[${text}]`;
}

function isDeprecated(value: unknown): boolean {
  return typeof value === 'object' && value !== null && (value as MetaValue).isDeprecated === true;
}
