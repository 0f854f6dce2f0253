/** Prints types in the GraphQL language exactly as graphql-js prints those of a schema. */
import { GraphQLScalarType, printType, TypeKind } from 'graphql';
import type { MetaEnumValue, MetaField, MetaInput, MetaType } from './meta-types.ts';

/** An object, input or enum type without deprecated members; shapes have no others. */
export function printMetaType(type: MetaType): string {
  const head = `${printDescription(type.description, '', true)}${keywords.get(type.kind) ?? 'type'} ${type.name ?? ''}`;
  if (type.enumValues !== null) return `${head}${block(type.enumValues, printEnumValue)}`;
  if (type.inputFields !== null) {
    const oneOf = type.isOneOf === true ? ' @oneOf' : '';
    return `${head}${oneOf}${block(type.inputFields, (input) => printInput(input))}`;
  }
  return `${head}${block(type.fields ?? [], printSignature)}`;
}

/** The field within its type: with its description, indented. */
export function printField(field: MetaField, isFirst: boolean): string {
  return `${printDescription(field.description, '  ', isFirst)}  ${printSignature(field)}`;
}

const keywords: ReadonlyMap<TypeKind, string> = new Map([
  [TypeKind.ENUM, 'enum'],
  [TypeKind.INPUT_OBJECT, 'input'],
]);

function block<Element extends { readonly description: string | null }>(
  elements: readonly Element[],
  print: (element: Element) => string,
): string {
  const lines = elements.map(
    (element, index) =>
      `${printDescription(element.description, '  ', index === 0)}  ${print(element)}`,
  );
  return ` {\n${lines.join('\n')}\n}`;
}

function printEnumValue({ name }: MetaEnumValue): string {
  return name;
}

function printSignature({ name, args, type }: MetaField): string {
  return `${name}${printArguments(args)}: ${printReference(type)}`;
}

function printArguments(args: readonly MetaInput[]): string {
  if (args.length === 0) return '';
  if (args.every(({ description }) => description === null)) {
    return `(${args.map(printInput).join(', ')})`;
  }
  const lines = args.map(
    (argument, index) =>
      `${printDescription(argument.description, '    ', index === 0)}    ${printInput(argument)}`,
  );
  return `(\n${lines.join('\n')}\n  )`;
}

function printInput({ name, type, defaultValue }: MetaInput): string {
  return `${name}: ${printReference(type)}${defaultValue === null ? '' : ` = ${defaultValue}`}`;
}

function printReference({ kind, name, ofType }: MetaType): string {
  if (ofType === null) return name ?? '';
  return kind === TypeKind.LIST ? `[${printReference(ofType)}]` : `${printReference(ofType)}!`;
}

/** Printable ASCII that begins with a letter or digit and needs no escaping. */
const plainText = /^[A-Za-z0-9][\x20\x21\x23-\x5b\x5d-\x7e]*$/;
/** Longer descriptions are printed on separate lines. */
const maxOnOneLine = 70;

/** Ends with a line break. */
function printDescription(description: string | null, indent: string, isFirst: boolean): string {
  if (description === null) return '';
  const before = indent !== '' && !isFirst ? `\n${indent}` : indent;
  if (!plainText.test(description)) return `${before}${printOther(description, indent)}`;
  return description.length > maxOnOneLine
    ? `${before}"""\n${indent}${description}\n${indent}"""\n`
    : `${before}"""${description}"""\n`;
}

/** Printed by the library, which only prints descriptions as part of a type. */
function printOther(description: string, indent: string): string {
  const printed = printType(new GraphQLScalarType({ name: 'Described', description }));
  const text = printed.slice(0, printed.lastIndexOf('\n'));
  return `${text.replaceAll('\n', `\n${indent}`)}\n`;
}
