/** The fields of a project's data graph by name, from the endpoint lookups. */
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

/** The current state of a field. */
export interface FoundField {
  readonly shape: GraphShape;
  readonly endpoint: EndpointRecord;
  /** Version number for the field of an older version; null for the endpoint's own field. */
  readonly version: number | null;
}

export interface Catalogue {
  /** At most seconds old, bounded by the change feed's delay. Null when the field does not exist. */
  find(projectId: number, field: string): MaybePromise<FoundField | null>;
  /** The same in one lookup for a field whose endpoint is known. Null when that endpoint has no such field. */
  findOf(projectId: number, known: KnownField): MaybePromise<FoundField | null>;
  /** Names of fields with the same first letter and a similar length. */
  near(projectId: number, field: string): Promise<readonly string[]>;
  /** The shapes of all fields, sorted by name. */
  list(projectId: number): Promise<readonly GraphShape[]>;
}

interface KnownField {
  /** Name of the endpoint. */
  readonly name: string;
  readonly field: string;
}

type Deps = Pick<EndpointDeps, 'lookups' | 'projects'> &
  GraphFieldDeps & {
    readonly clock: Clock;
  };

export function openCatalogue(deps: Deps): Catalogue {
  /** Records are immutable, but are looked up for each request. */
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
  /** Name of the endpoint's own field. */
  readonly own: string;
  /** Version number for the field of an older version. */
  readonly version: number | null;
}

function parseName(field: string): FieldName {
  const older = field.includes('_v') ? OF_VERSION.exec(field) : null;
  if (older === null) return { own: field, version: null };
  return { own: older[1] ?? field, version: Number(older[2]) };
}

const OF_VERSION = /^(\w+)_v([1-9]\d{0,8})$/;

/** An older version has its own field if it is active and the endpoint's field cannot serve it. */
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

/** Keyed by the current version's shape, then by the older one's. */
const served = new WeakMap<GraphShape, WeakMap<GraphShape, boolean>>();

/** Cached per pair, because it is needed for each request. */
function serves(current: GraphShape, older: GraphShape): boolean {
  const known = served.get(current) ?? new WeakMap<GraphShape, boolean>();
  served.set(current, known);
  const found = known.get(older) ?? isSameForm(current, older);
  known.set(older, found);
  return found;
}
