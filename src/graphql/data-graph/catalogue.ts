/** The fields of a project's graph by their names, from the lookups of endpoints. */
import { isSameForm } from '../../data-graph/same-form.ts';
import type { GraphShape } from '../../data-graph/shape.ts';
import { usageEndpointName } from '../../endpoints/built-in/usage-endpoint.ts';
import type { EndpointDeps } from '../../endpoints/deps.ts';
import { findByField } from '../../endpoints/find-by-field.ts';
import {
  type GraphFieldDeps,
  listGraphFields,
  shapeOfVersion,
} from '../../endpoints/graph-fields.ts';
import { lookUpEndpoint, lookUpVersion } from '../../endpoints/resolve-version.ts';
import type { Clock } from '../../lib/clock.ts';
import { andThen, type MaybePromise } from '../../lib/maybe-promise.ts';
import type { EndpointRecord } from '../../store/endpoint-record.ts';

/** A field as it is now. */
export interface FoundField {
  readonly shape: GraphShape;
  readonly endpoint: EndpointRecord;
  /** Of the field of an older version: its number. Null: the field of the endpoint itself. */
  readonly version: number | null;
}

export interface Catalogue {
  /** At most seconds old, and not older than the change feed is late. Null: there is no such field. */
  find(projectId: number, field: string): MaybePromise<FoundField | null>;
  /** The same for the field of an endpoint whose name is known, by one lookup. Null: that endpoint has no such field. */
  findOf(projectId: number, known: KnownField): MaybePromise<FoundField | null>;
  /** Names of fields that begin with the same letter and are about as long. */
  near(projectId: number, field: string): Promise<readonly string[]>;
  /** The shapes of all fields, in the order of their names. */
  list(projectId: number): Promise<readonly GraphShape[]>;
}

interface KnownField {
  /** Of the endpoint. */
  readonly name: string;
  readonly field: string;
}

type Deps = Pick<EndpointDeps, 'lookups' | 'projects'> &
  GraphFieldDeps & {
    readonly clock: Clock;
  };

export function openCatalogue(deps: Deps): Catalogue {
  /** A record never changes, and is looked up for each request. */
  const ofRecords = new WeakMap<EndpointRecord, FoundField>();
  const ownField = (endpoint: EndpointRecord): FoundField => {
    const known = ofRecords.get(endpoint);
    if (known !== undefined) return known;
    const version = endpoint.currentVersion;
    const shape = shapeOfVersion(deps.shapes, { endpoint, version });
    const field = { endpoint, version: null, shape };
    ofRecords.set(endpoint, field);
    return field;
  };
  const fieldOf = (
    endpoint: EndpointRecord | null,
    { own, version }: FieldName,
  ): MaybePromise<FoundField | null> => {
    if (endpoint?.isActive !== true || !endpoint.currentVersion.isActive) return null;
    if (endpoint.graphqlName !== own) return null;
    return version === null ? ownField(endpoint) : findOlder(deps, endpoint, version);
  };
  return {
    find(projectId, field) {
      const name = parseName(field);
      const now = deps.clock.now();
      const found =
        name.own === usageEndpointName
          ? lookUpEndpoint(deps, projectId, { name: usageEndpointName, now })
          : findByField(deps, projectId, { field: name.own, now });
      return andThen(found, (endpoint) => fieldOf(endpoint, name));
    },
    findOf(projectId, { name, field }) {
      const found = lookUpEndpoint(deps, projectId, { name, now: deps.clock.now() });
      return andThen(found, (endpoint) => fieldOf(endpoint, parseName(field)));
    },
    near: (projectId, field) =>
      field.startsWith('_')
        ? Promise.resolve([usageEndpointName])
        : deps.endpoints.listFieldsNear(projectId, field),
    list: async (projectId) => (await listGraphFields(deps, projectId)).map(({ shape }) => shape),
  };
}

interface FieldName {
  /** The name of the endpoint's own field. */
  readonly own: string;
  /** Of the field of an older version: its number. */
  readonly version: number | null;
}

function parseName(field: string): FieldName {
  const older = field.includes('_v') ? OF_VERSION.exec(field) : null;
  if (older === null) return { own: field, version: null };
  return { own: older[1] ?? field, version: Number(older[2]) };
}

const OF_VERSION = /^(\w+)_v([1-9]\d{0,8})$/;

/** An older version has a field of its own if it is active and the endpoint's could not serve it as well. */
function findOlder(
  deps: Deps,
  endpoint: EndpointRecord,
  number: number,
): MaybePromise<FoundField | null> {
  const { currentVersion } = endpoint;
  if (number >= currentVersion.version) return null;
  return andThen(lookUpVersion(deps, endpoint, number), (version) => {
    if (version === null || !version.isActive) return null;
    const current = shapeOfVersion(deps.shapes, { endpoint, version: currentVersion });
    const alike = shapeOfVersion(deps.shapes, { endpoint, version });
    if (serves(current, alike)) return null;
    const shape = shapeOfVersion(deps.shapes, { endpoint, version }, true);
    return { endpoint, version: number, shape };
  });
}

/** By the current version's shape, then by that of an older one. */
const served = new WeakMap<GraphShape, WeakMap<GraphShape, boolean>>();

/** Compared once for each pair, as it is asked at each request. */
function serves(current: GraphShape, older: GraphShape): boolean {
  const known = served.get(current) ?? new WeakMap<GraphShape, boolean>();
  served.set(current, known);
  const found = known.get(older) ?? isSameForm(current, older);
  known.set(older, found);
  return found;
}
