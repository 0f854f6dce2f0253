/** Random introspection, with aliases, fragments, directives and variables, against graphql-js over the whole schema. */
import {
  executeSync,
  type GraphQLObjectType,
  getNamedType,
  getOperationAST,
  isLeafType,
  isObjectType,
  Kind,
  parse,
  validate,
} from 'graphql';
import { expect, it } from 'vitest';
import { openIntrospection } from '../../../src/graphql/data-graph/introspection/introspection.ts';
import { openShapeTexts } from '../../../src/graphql/data-graph/introspection/shape-texts.ts';
import { schemaOf } from '../../../src/graphql/data-graph/shape-types.ts';
import { fragmentsOf } from '../../../src/graphql/fragments-of.ts';
import { manyShapes } from './shapes.ts';

const shapes = manyShapes(5);
const schema = schemaOf(shapes);
const metaType = (name: string): GraphQLObjectType => {
  const type = schema.getType(name);
  if (!isObjectType(type)) throw new Error(`there is no ${name}`);
  return type;
};

/** A number names a run. Source: Mulberry32. */
function openRandom(seed: number) {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    isIn: (share: number): boolean => next() < share,
    below: (count: number): number => Math.floor(next() * count),
  };
}

const directives = [' @skip(if: $a)', ' @include(if: $b)', ' @skip(if: $a) @include(if: $b)'];
const deprecated = ['(includeDeprecated: true)', '(includeDeprecated: $b)', ''];

/** The text of one document; not each is valid. */
function randomDocument(random: ReturnType<typeof openRandom>): string {
  const fragments: string[] = [];
  const oneOf = (texts: readonly string[]): string => texts[random.below(texts.length)] ?? '';
  const directive = (): string => (random.isIn(0.15) ? oneOf(directives) : '');

  function member(type: GraphQLObjectType, depth: number): string {
    const fields = Object.values(type.getFields());
    const field = fields[random.below(fields.length)];
    const inner = field === undefined ? undefined : getNamedType(field.type);
    if (field === undefined || (isObjectType(inner) && depth === 0)) return '__typename';
    const alias = random.isIn(0.2) ? `${oneOf(['x', 'y'])}${random.below(1000)}: ` : '';
    const takes = field.args.some(({ name }) => name === 'includeDeprecated');
    const head = `${alias}${field.name}${takes ? oneOf(deprecated) : ''}${directive()}`;
    if (isLeafType(inner) || !isObjectType(inner)) return head;
    return `${head} ${selection(inner, depth - 1)}`;
  }

  function selection(type: GraphQLObjectType, depth: number): string {
    const members = Array.from({ length: 1 + random.below(5) }, () => {
      if (random.isIn(0.1)) return `... on ${type.name}${directive()} ${selection(type, depth)}`;
      if (!random.isIn(0.1) || fragments.length > 3) return member(type, depth);
      const at = fragments.push('') - 1;
      fragments[at] = `fragment F${at} on ${type.name} ${selection(type, Math.min(depth, 1))}`;
      return `...F${at}${directive()}`;
    });
    return `{ ${members.join(' ')} }`;
  }

  const names = Object.keys(schema.getTypeMap());
  const root = random.isIn(0.7)
    ? `__schema ${selection(metaType('__Schema'), 5)}`
    : `__type(name: "${oneOf([...names, 'None'])}") ${selection(metaType('__Type'), 4)}`;
  const used = '__typename @skip(if: $a) @include(if: $b)';
  return `query ($a: Boolean!, $b: Boolean!) { ${root} ${used} } ${fragments.join(' ')}`;
}

it('is answered as graphql-js answers it, byte for byte', async () => {
  const random = openRandom(7);
  const introspection = openIntrospection(openShapeTexts(1_000_000));
  for (let compared = 0; compared < 100; ) {
    const text = randomDocument(random);
    const document = parse(text);
    if (validate(schema, document).length > 0) continue;
    compared += 1;
    const values = { a: random.isIn(0.5), b: random.isIn(0.5) };
    const { data } = executeSync({ schema, document, variableValues: values });
    const nodes = (getOperationAST(document)?.selectionSet.selections ?? []).flatMap((node) =>
      node.kind === Kind.FIELD && node.name.value !== '__typename' ? [node] : [],
    );
    const field = { nodes, fragments: fragmentsOf(document), values };
    const isSchema = nodes[0]?.name.value === '__schema';
    const ask = isSchema ? introspection.schema : introspection.type;
    const answer = Buffer.concat(await ask(field, shapes)).toString();
    expect(answer, text).toBe(JSON.stringify(data?.[isSchema ? '__schema' : '__type']));
  }
});
