/** Introspection of a data graph, put together from the texts of its shapes instead of from a schema of all of them. */
import { createHash } from 'node:crypto';
import { getArgumentValues, TypeMetaFieldDef } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { GraphShape } from '../../../data-graph/shape.ts';
import { isRootName } from '../static-types.ts';
import { type Asked, type IntrospectionField, readAsked } from './asked.ts';
import { describeShape } from './describe-shape.ts';
import { joinTexts, placesOf } from './join-texts.ts';
import type { MetaType } from './meta-types.ts';
import { type Gap, planRootType, planSchema, type SchemaPlan } from './schema-plan.ts';
import type { ShapeTexts } from './shape-texts.ts';
import { leadingTypes, requireObject, trailingTypes } from './static-meta.ts';
import { compileWriter } from './write-meta.ts';

/**
 * Answers what graphql-js would answer over `schemaOf(shapes)`, byte for byte. `shapes` are those of one revision of the
 * project that the caller may see, in the order of the root fields.
 */
export interface Introspection {
  /** The value of a `__schema` field as JSON, in pieces. */
  schema(field: IntrospectionField, shapes: readonly GraphShape[]): Promise<readonly Buffer[]>;
  /** The value of a `__type` field as JSON, in pieces: null when there is no type of that name. */
  type(field: IntrospectionField, shapes: readonly GraphShape[]): Promise<readonly Buffer[]>;
}

/** Plans hold the texts of the static types, some 50 kB for the usual question. */
const maxPlanBytes = 4_194_304;
/** Memory of a plan for each character of its texts; the writers remember parts of them. */
const bytesPerCharacter = 4;

export function openIntrospection(texts: ShapeTexts): Introspection {
  const plans = new LRUCache<string, SchemaPlan>({
    maxSize: maxPlanBytes,
    sizeCalculation: ({ parts }) =>
      parts.reduce((total, part) => total + bytesPerCharacter * lengthOf(part), 1_000),
  });

  async function answer(
    way: { readonly id: string; readonly plan: () => SchemaPlan },
    shapes: readonly GraphShape[],
  ): Promise<readonly Buffer[]> {
    const plan = plans.get(way.id) ?? way.plan();
    plans.set(way.id, plan);
    const gaps = placesOf(plan.parts);
    const writing = {
      id: way.id,
      write: (shape: GraphShape) => {
        const described = describeShape(shape);
        return gaps.map(({ write }) => write(described));
      },
    };
    const made = gaps.length === 0 ? [] : await texts.of(writing, shapes);
    return joinTexts(plan.parts, made);
  }

  return {
    schema(field, shapes) {
      const asked = readAsked(field, schemaMeta);
      return answer({ id: wayId('schema', asked), plan: () => planSchema(asked) }, shapes);
    },
    async type(field, shapes) {
      const asked = readAsked(field, typeMeta);
      const name = nameAsked(field);
      if (isRootName(name)) {
        return answer({ id: wayId(name, asked), plan: () => planRootType(name, asked) }, shapes);
      }
      const type = findStatic(name) ?? findInShapes(name, shapes);
      return [Buffer.from(type === undefined ? 'null' : compileWriter<MetaType>(asked)(type))];
    },
  };
}

const schemaMeta = requireObject('__Schema');
const typeMeta = requireObject('__Type');

function lengthOf(part: string | Gap): number {
  return typeof part === 'string' ? part.length : part.empty.length;
}

function wayId(of: string, asked: readonly Asked[]): string {
  return createHash('sha256')
    .update(of)
    .update(JSON.stringify(asked))
    .digest('base64url')
    .slice(0, 22);
}

function nameAsked({ nodes, values }: IntrospectionField): unknown {
  const [node] = nodes;
  return node === undefined ? null : getArgumentValues(TypeMetaFieldDef, node, values).name;
}

function findStatic(name: unknown): MetaType | undefined {
  return [...leadingTypes, ...trailingTypes].find((type) => type.name === name);
}

/** The names of all types of a shape begin with that of its run's type, without `Run`. */
function findInShapes(name: unknown, shapes: readonly GraphShape[]): MetaType | undefined {
  if (typeof name !== 'string') return undefined;
  for (const shape of shapes) {
    if (!name.startsWith(shape.runType.slice(0, -'Run'.length))) continue;
    const found = describeShape(shape).types.find((type) => type.name === name);
    if (found !== undefined) return found;
  }
  return undefined;
}
