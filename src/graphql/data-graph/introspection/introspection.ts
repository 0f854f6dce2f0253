/** Introspection of a data graph, assembled from the texts of its shapes instead of a schema of all of them. */
import { createHash } from 'node:crypto';
import { getArgumentValues, TypeMetaFieldDef } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { GraphShape } from '../../../data-graph/shape.ts';
import { isRootName } from '../static-types.ts';
import { describeShape } from './describe-shape.ts';
import { joinTexts, placesOf } from './join-texts.ts';
import type { MetaType } from './meta-types.ts';
import { type Gap, planRootType, planSchema, type SchemaPlan } from './schema-plan.ts';
import { type IntrospectionField, readSelection, type SelectedMember } from './selected-members.ts';
import type { ShapeTexts } from './shape-texts.ts';
import { leadingTypes, requireObject, trailingTypes } from './static-meta.ts';
import { compileWriter } from './write-meta.ts';

/**
 * Gives graphql-js's response for `schemaOf(shapes)`, byte for byte. `shapes` belong to one revision of a project that
 * the caller may see, in root field order.
 */
export interface Introspection {
  /** The value of a `__schema` field as JSON, in pieces. */
  schema(field: IntrospectionField, shapes: readonly GraphShape[]): Promise<readonly Buffer[]>;
  /** The value of a `__type` field as JSON, in pieces; null when there is no such type. */
  type(field: IntrospectionField, shapes: readonly GraphShape[]): Promise<readonly Buffer[]>;
}

/** Plans contain the texts of the static types, about 50 kB for the usual introspection query. */
const maxPlanBytes = 4_194_304;
/** Memory of a plan per character of its texts; the writers cache parts of them. */
const bytesPerCharacter = 4;

export function openIntrospection(texts: ShapeTexts): Introspection {
  const plans = new LRUCache<string, SchemaPlan>({
    maxSize: maxPlanBytes,
    sizeCalculation: ({ parts }) =>
      parts.reduce((total, part) => total + bytesPerCharacter * lengthOf(part), 1_000),
  });

  async function respond(
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
      const selected = readSelection(field, schemaMeta);
      return respond(
        { id: writingId('schema', selected), plan: () => planSchema(selected) },
        shapes,
      );
    },
    async type(field, shapes) {
      const selected = readSelection(field, typeMeta);
      const name = requestedName(field);
      if (isRootName(name)) {
        return respond(
          { id: writingId(name, selected), plan: () => planRootType(name, selected) },
          shapes,
        );
      }
      const type = findStatic(name) ?? findInShapes(name, shapes);
      return [Buffer.from(type === undefined ? 'null' : compileWriter<MetaType>(selected)(type))];
    },
  };
}

const schemaMeta = requireObject('__Schema');
const typeMeta = requireObject('__Type');

function lengthOf(part: string | Gap): number {
  return typeof part === 'string' ? part.length : part.empty.length;
}

function writingId(of: string, selected: readonly SelectedMember[]): string {
  return createHash('sha256')
    .update(of)
    .update(JSON.stringify(selected))
    .digest('base64url')
    .slice(0, 22);
}

function requestedName({ nodes, values }: IntrospectionField): unknown {
  const [node] = nodes;
  return node === undefined ? null : getArgumentValues(TypeMetaFieldDef, node, values).name;
}

function findStatic(name: unknown): MetaType | undefined {
  return [...leadingTypes, ...trailingTypes].find((type) => type.name === name);
}

/** All type names of a shape begin with its run type's name without `Run`. */
function findInShapes(name: unknown, shapes: readonly GraphShape[]): MetaType | undefined {
  if (typeof name !== 'string') return undefined;
  for (const shape of shapes) {
    if (!name.startsWith(shape.runType.slice(0, -'Run'.length))) continue;
    const found = describeShape(shape).types.find((type) => type.name === name);
    if (found !== undefined) return found;
  }
  return undefined;
}
