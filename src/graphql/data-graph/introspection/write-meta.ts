/** Writers of meta values as JSON text, compiled from the selection. */
import type { SelectedMember } from './selected-members.ts';

/** The JSON text of one value. */
export type WriteMeta<Value> = (value: Value) => string;

/** Type for reading `isStatic` and `isDeprecated`; each member of a meta type is a property with its name. */
interface MetaValue {
  readonly isStatic?: boolean;
  readonly isDeprecated?: boolean;
}

interface Part {
  /** The key, including the separator before it. */
  readonly before: string;
  readonly name: string;
  readonly withDeprecated: boolean;
  /** Null for `__typename`, which is in `before`. */
  readonly write: WriteMeta<unknown> | null;
}

/** Caches the texts of values shared by all data graphs for the lifetime of the writer. */
export function compileWriter<Value extends object>(
  members: readonly SelectedMember[],
): WriteMeta<Value> {
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

function toPart(
  { key, name, parent, withDeprecated, members }: SelectedMember,
  index: number,
): Part {
  const before = `${index === 0 ? '' : ','}${JSON.stringify(key)}:`;
  if (name === '__typename') {
    return { before: `${before}${JSON.stringify(parent)}`, name, withDeprecated, write: null };
  }
  return { before, name, withDeprecated, write: members === null ? leafText : objectText(members) };
}

function objectText(members: readonly SelectedMember[]): WriteMeta<unknown> {
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
