/**
 * Resolves a document for a project: the part of the project's data graph that it names, its errors and its plan. The
 * cost does not depend on the number of endpoints.
 */
import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
  specifiedRules,
  validate,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Config } from '../../config/config.ts';
import { fieldOfType } from '../../data-graph/field-of-type.ts';
import { openDocumentCache } from '../document-cache.ts';
import { withoutSuggestions, withSafeMessage } from '../errors.ts';
import { documentLimits, parseWithin } from '../limit-documents.ts';
import { type LimitChecks, openLimitChecks, tooLarge } from '../limits.ts';
import type { Catalogue, FoundField } from './catalogue.ts';
import { type NamesInDocument, namesIn } from './names-in.ts';
import { openPlanner, type Planner } from './plan.ts';
import { rootedSchema, schemaOf } from './shape-types.ts';
import { suggestFields } from './suggest-fields.ts';

export interface GraphDocument {
  readonly document: DocumentNode;
  /** The fields that it names, with their types. */
  readonly schema: GraphQLSchema;
  /** By name, in their current state; fields that do not exist are missing. */
  readonly fields: ReadonlyMap<string, FoundField>;
  /** Empty for a valid document. */
  readonly errors: readonly Error[];
  /** Only for a valid document. */
  readonly planner: Planner;
}

export interface Documents extends Pick<LimitChecks, 'refusalOfCost'> {
  /** Throws a GraphQLError for a text that is not a document, or exceeds the limits. */
  read(projectId: number, text: string): Promise<GraphDocument>;
}

/** A valid document, validated against certain shapes of its fields. */
interface KnownSlice {
  readonly schema: GraphQLSchema;
  readonly planner: Planner;
}

/** The catalogue functions needed to read a document. */
export type FieldSource = Pick<Catalogue, 'find' | 'near'>;

export function openDocuments(config: Config, catalogue: FieldSource): Documents {
  const parsed = openParsedDocuments(config);
  const slices = openSlices();
  const rules = config.introspection
    ? specifiedRules
    : [...specifiedRules, NoSchemaIntrospectionCustomRule];
  return {
    refusalOfCost: parsed.refusalOfCost,
    async read(projectId, text) {
      const { document, names } = parsed.read(text);
      const fields = await findFields(catalogue, projectId, names);
      const shapes = [...fields.values()].map(({ shape }) => shape);
      const key = `${shapes.map(({ id }) => id).join()}\n${text}`;
      const known = slices.get(key);
      if (known !== undefined) return { ...known, document, fields, errors: [] };
      const schema = shapes.length > 0 ? schemaOf(shapes) : emptySchema;
      const found = validate(schema, document, rules);
      const planner = openPlanner({ schema, document, shapes });
      if (found.length === 0) slices.set(key, text, { schema, planner });
      const errors = await refine(config, found, (named) => catalogue.near(projectId, named));
      return { document, schema, fields, planner, errors };
    },
  };
}

/** For documents without a field of the project. */
export const emptySchema = rootedSchema({});

async function refine(
  config: Config,
  errors: readonly GraphQLError[],
  near: (field: string) => Promise<readonly string[]>,
): Promise<readonly Error[]> {
  if (errors.length === 0) return errors;
  const shown = config.introspection
    ? await suggestFields(errors, near)
    : errors.map(withoutSuggestions);
  return shown.map(withSafeMessage);
}

/** Limited, because each name costs a lookup. */
const maxNames = 200;

async function findFields(
  catalogue: FieldSource,
  projectId: number,
  { fields, types }: NamesInDocument,
): Promise<ReadonlyMap<string, FoundField>> {
  const owners = types.flatMap((type) => fieldOfType(type) ?? []);
  const names = [...new Set([...fields, ...owners])];
  if (names.length > maxNames)
    throw tooLarge(
      `The document names ${names.length} endpoints; at most ${maxNames} are accepted.`,
    );
  const found = await Promise.all(names.map(async (name) => catalogue.find(projectId, name)));
  return new Map(
    names.flatMap((name, at) => {
      const field = found[at];
      return field === null || field === undefined ? [] : [[name, field] as const];
    }),
  );
}

interface ParsedDocument {
  readonly document: DocumentNode;
  readonly names: NamesInDocument;
}

/** Parsed and measured once while cached. */
function openParsedDocuments(config: Config) {
  const documents = openDocumentCache();
  const namesOf = new WeakMap<DocumentNode, NamesInDocument>();
  const checks = openLimitChecks(documentLimits(config), { lists: new Map(), runs: 'roots' });
  return {
    refusalOfCost: checks.refusalOfCost,
    read(text: string): ParsedDocument {
      const document = documents.get(text) ?? parseWithin(config, text);
      const known = namesOf.get(document);
      if (known !== undefined) return { document, names: known };
      const [refusal] = checks.refusalsOf(document);
      if (refusal !== undefined) throw refusal;
      const names = namesIn(document);
      namesOf.set(document, names);
      documents.set(text, document);
      return { document, names };
    },
  };
}

/** Maximum estimated size of what is cached per document besides its text. */
const maxSliceBytes = 67_108_864;
/** Estimated size of the schema and plan of a small document. */
const bytesPerSlice = 24_000;
const bytesPerCharacter = 50;
/** Longer documents are not cached, because programs do not repeat them. */
const maxCharacters = 65_536;

function openSlices() {
  const kept = new LRUCache<string, KnownSlice>({
    maxSize: maxSliceBytes,
    sizeCalculation: (_slice, key) => bytesPerSlice + bytesPerCharacter * key.length,
  });
  return {
    get: (key: string) => kept.get(key),
    set(key: string, text: string, slice: KnownSlice): void {
      if (text.length <= maxCharacters) kept.set(key, slice);
    },
  };
}
