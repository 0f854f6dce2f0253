/** The text of a project's data graph for a caller: all of it, or some of its fields. */
import type { AccessDeps } from '../../../access/deps.ts';
import { getProject } from '../../../access/get-project.ts';
import type { Principal } from '../../../access/principal.ts';
import { takeRequest } from '../../../access/rates/take-request.ts';
import type { GraphShape } from '../../../data-graph/shape.ts';
import { invalidInput } from '../../../errors/service-error.ts';
import { didYouMean } from '../../../lib/nearest-name.ts';
import { printShapes, tagOfShapes } from './schema-text.ts';
import type { ShapeTexts } from './shape-texts.ts';

/** Source of the text. */
export interface SchemaTextSource {
  /** The shapes of all fields of a project, from one revision. */
  readonly shapes: (projectId: number) => Promise<readonly GraphShape[]>;
  readonly texts: ShapeTexts;
}

export interface SchemaText {
  /** Strong and quoted: equal tags mean equal texts. */
  readonly etag: string;
  /** UTF-8, in pieces. */
  readonly read: () => Promise<readonly Buffer[]>;
}

/**
 * Counts as one request. Throws `permission_denied`, `not_found` and `throttled`, and `invalid_input` for a field that
 * the data graph does not have.
 */
export async function readSchemaText(
  { shapes: list, texts }: SchemaTextSource,
  deps: AccessDeps,
  call: {
    readonly principal: Principal;
    readonly projectId: string;
    /** Null for all. */
    readonly fields: readonly string[] | null;
  },
): Promise<SchemaText> {
  const { principal, projectId, fields } = call;
  await takeRequest(deps, principal, projectId);
  const { id } = await getProject(deps, principal, projectId);
  const all = await list(id);
  const shapes = fields === null ? all : selectFields(all, fields);
  return { etag: `"${tagOfShapes(shapes)}"`, read: () => printShapes(texts, shapes) };
}

/**
 * In data graph order, without duplicates. Throws `invalid_input` for an unknown field.
 *
 * @param called what the caller calls the list.
 */
export function selectFields(
  shapes: readonly GraphShape[],
  fields: readonly string[],
  called = 'fields',
): readonly GraphShape[] {
  const wanted = new Set(fields);
  const known = new Set(shapes.map(({ field }) => field));
  const unknown = [...wanted].find((field) => !known.has(field));
  if (unknown === undefined) return shapes.filter(({ field }) => wanted.has(field));
  const hint = didYouMean(unknown, alike(unknown, known));
  const shown = unknown.length > maxShown ? `${unknown.slice(0, maxShown)}…` : unknown;
  throw invalidInput(
    'fields',
    `The data graph has no field "${shown}".${hint} ${called} takes names of root fields: the graphql_name of active endpoints, and the names of their older versions.`,
  );
}

const maxShown = 100;

/** Names with the same beginning: comparing with all names of a large data graph would take too long. */
function* alike(name: string, known: Iterable<string>): Iterable<string> {
  for (const one of known) if (one.charAt(0) === name.charAt(0)) yield one;
}
