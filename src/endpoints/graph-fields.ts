/** The fields of a project's data graph. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ShapeMemo } from '../cache/shape-memo.ts';
import type { GraphField } from '../data-graph/graph-field.ts';
import { isSameForm } from '../data-graph/same-form.ts';
import type { GraphShape } from '../data-graph/shape.ts';
import type { Variable } from '../query/variables.ts';
import type { VersionOfEndpoint } from '../store/endpoint-record.ts';
import type { GraphVersion, GraphVersionContent } from '../store/graph-versions.ts';
import { usageFacts } from './built-in/usage-endpoint.ts';
import type { EndpointDeps } from './deps.ts';
import { textOf } from './version-query.ts';

/**
 * All fields by name: the current version of each active endpoint, if that is active, followed by the older active
 * versions that need a field of their own; the built-in endpoint comes last. One statement reads the revision of the
 * project's graph, and is enough if that revision is cached. Otherwise one more reads all versions, and another one the
 * shapes that are not cached.
 */
export async function listGraphFields(
  deps: GraphFieldDeps,
  projectId: number,
): Promise<readonly GraphField[]> {
  // Read before the fields, so that no revision is cached with fields from before it.
  const revision = await deps.endpoints.graphRevision(projectId);
  return deps.graphFields.get({ projectId, revision }, () => readGraphFields(deps, projectId));
}

export type GraphFieldDeps = Pick<EndpointDeps, 'endpoints' | 'shapes' | 'graphFields' | 'log'>;

async function readGraphFields(
  deps: GraphFieldDeps,
  projectId: number,
): Promise<readonly GraphField[]> {
  const versions = await deps.endpoints.listGraphVersions(projectId);
  const shapes = await shapesOf(deps, versions);
  const current = new Map(
    versions.flatMap((of) => (of.isCurrent ? [[of.endpointId, shapes.get(of.versionId)]] : [])),
  );
  const fields = versions.flatMap((of): readonly GraphField[] => {
    const [shape, ofCurrent] = [shapes.get(of.versionId), current.get(of.endpointId)];
    // Deleted since the first statement.
    if (shape === undefined || ofCurrent === undefined) return [];
    if (of.isCurrent) return [toField(of, shape)];
    const hasOwn = !isSameForm(ofCurrent, shape);
    return hasOwn ? [toField(of, deps.shapes.ofVersion(shape, of.version))] : [];
  });
  fields.sort((a, b) => (a.shape.field < b.shape.field ? -1 : 1));
  return [...fields, usageField(deps.shapes)];
}

function usageField(memo: ShapeMemo): GraphField {
  const { id, name, version, description, text, columns, variables } = usageFacts;
  const key = { versionId: id, columnsRevision: 0, field: name };
  const shape = memo.get(key, { description, text, columns, variables });
  return { endpointId: id, endpointName: name, version, isCurrent: true, shape };
}

function toField(of: GraphVersion, shape: GraphShape): GraphField {
  const { endpointId, endpointName, version, isCurrent } = of;
  return { endpointId, endpointName, version, isCurrent, shape };
}

/** A few milliseconds of work, after which the event loop gets a turn. */
const versionsPerTurn = 100;

/** By version id, with the endpoint's field. Skips versions whose stored content is invalid. */
async function shapesOf(
  { endpoints, shapes: memo, log }: Omit<GraphFieldDeps, 'graphFields'>,
  versions: readonly GraphVersion[],
): Promise<ReadonlyMap<string, GraphShape>> {
  const shapes = new Map<string, GraphShape>();
  const missing = new Map<string, GraphVersion>();
  for (const of of versions) {
    const found = memo.find(of, of.description);
    if (found === undefined) missing.set(of.versionId, of);
    else shapes.set(of.versionId, found);
  }
  const contents = await endpoints.findGraphContents([...missing.keys()]);
  for (const [at, { id, ...content }] of contents.entries()) {
    const of = missing.get(id);
    if (of === undefined) continue;
    try {
      shapes.set(id, memo.get(of, { ...toSource(content), description: of.description }));
    } catch (error) {
      const { endpointName: endpoint, version } = of;
      log.error({ err: error, endpoint, version }, 'a version was left out of a data graph');
    }
    if (at % versionsPerTurn === versionsPerTurn - 1) await nextTurn();
  }
  return shapes;
}

function toSource({ columns, variables, text }: Omit<GraphVersionContent, 'id'>) {
  return { columns, variables: variables as unknown as readonly Variable[], text };
}

/** The shape of a version in the lookup cache, with its endpoint's field or, for an older version, its own. */
export function shapeOfVersion(
  shapes: ShapeMemo,
  { endpoint, version }: VersionOfEndpoint,
  isOwnField = false,
): GraphShape {
  const { id: versionId, columnsRevision, description, query } = version;
  const source = toSource({ ...version, text: textOf(query) });
  const key = { versionId, columnsRevision, field: endpoint.graphqlName };
  const shape = shapes.get(key, { ...source, description });
  return isOwnField ? shapes.ofVersion(shape, version.version) : shape;
}
