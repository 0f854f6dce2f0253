/** Generates an initial document from a schema. Pure. */
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import type { GraphDraft } from './graph-address.ts';

/** Names of query fields with a useful result, in order. */
export function rootFields(schema: GraphQLSchema): readonly string[] {
  return Object.keys(schema.getQueryType()?.getFields() ?? {});
}

/** The first field without required arguments. */
export function usualField(schema: GraphQLSchema): string | null {
  const fields = Object.values(schema.getQueryType()?.getFields() ?? {});
  const preferred = ['endpoints', ...fields.map(({ name }) => name)];
  const runs = (name: string) =>
    fields.some((one) => one.name === name && toGive(one).length === 0);
  return preferred.find(runs) ?? fields[0]?.name ?? null;
}

/** Arguments set for every field that supports them. */
const usualArguments: Readonly<Record<string, string>> = { run: '{limit: 100}', first: '20' };

function toGive({ args }: GraphQLField<unknown, unknown>): readonly GraphQLArgument[] {
  return args.filter((one) => isRequiredArgument(one) && one.name !== 'projectId');
}

/** Runs one field; its required arguments become variables of the document. */
export function exampleOf(
  schema: GraphQLSchema,
  { name, projectId }: { readonly name: string; readonly projectId: string },
): GraphDraft | null {
  const field = schema.getQueryType()?.getFields()[name];
  if (field === undefined) return null;
  const given = toGive(field);
  const declared = given.map((one) => `$${one.name}: ${String(one.type)}`).join(', ');
  const args = [
    ...field.args.flatMap((one) =>
      one.name === 'projectId' ? [`projectId: ${JSON.stringify(projectId)}`] : [],
    ),
    ...given.map((one) => `${one.name}: $${one.name}`),
    ...field.args.flatMap((one) => {
      const value = Object.hasOwn(usualArguments, one.name) ? usualArguments[one.name] : undefined;
      return value === undefined || isRequiredArgument(one) ? [] : [`${one.name}: ${value}`];
    }),
  ].join(', ');
  const operation = name.replace(/^_*[a-z]/, (head) => head.toUpperCase());
  const head = `query ${operation}${declared === '' ? '' : `(${declared})`} {`;
  const call = `  ${name}${args === '' ? '' : `(${args})`}`;
  const inner = selectionOf(getNamedType(field.type), 2, 3);
  const values = given.map((one) => [one.name, emptyValue(getNullableType(one.type))]);
  return {
    document: `${head}\n${call}${inner}\n}\n`,
    variables: given.length === 0 ? '' : JSON.stringify(Object.fromEntries(values), null, 2),
    operation: '',
  };
}

const mostLeaves = 8;
/** Selected first if they exist, because they identify an object. */
const identifying = ['id', 'name', 'label', 'email', 'description'];
/** Objects that contain rows, and the fields that show whether there are more. */
const followed: ReadonlySet<string> = new Set([
  'rows',
  'edges',
  'node',
  'nodes',
  'results',
  'pageInfo',
]);

function selectionOf(type: GraphQLNamedType, depth: number, levels: number): string {
  if (!isObjectType(type)) return '';
  const indent = '  '.repeat(depth);
  const fields = Object.values(type.getFields()).filter(
    (field) => !field.args.some(isRequiredArgument) && field.deprecationReason == null,
  );
  const isLeaf = (field: GraphQLField<unknown, unknown>) => isLeafType(getNamedType(field.type));
  const all = fields.filter((field) => isLeaf(field));
  const named = identifying.flatMap((name) => all.filter((field) => field.name === name));
  const leaves = [...new Set([...named, ...all])].slice(0, mostLeaves);
  const objects =
    levels === 0 ? [] : fields.filter((one) => !isLeaf(one) && followed.has(one.name));
  const chosen = [...objects, ...leaves];
  if (chosen.length === 0) return ` {\n${indent}  __typename\n${indent}}`;
  const lines = chosen.map((field) => {
    const inner = isLeaf(field) ? '' : selectionOf(getNamedType(field.type), depth + 1, levels - 1);
    return `${indent}${field.name}${inner}`;
  });
  return ` {\n${lines.join('\n')}\n${'  '.repeat(depth - 1)}}`;
}

function emptyValue(type: unknown): unknown {
  if (isListType(type)) return [];
  const name = String(type);
  if (name === 'Int' || name === 'Float' || name === 'BigInt') return 0;
  if (name === 'Boolean') return false;
  return name === 'String' || name === 'ID' || name === 'Date' || name === 'DateTime' ? '' : null;
}
