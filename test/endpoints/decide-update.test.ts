/** What an update changes, decided from facts: no engine, no database. */
import { describe, expect, it } from 'vitest';
import { changedQuery, decideUpdate, type UpdateFacts } from '../../src/endpoints/decide-update.ts';
import type { UpdateRequest } from '../../src/endpoints/endpoint-input.ts';
import type { PreparedQuery } from '../../src/endpoints/prepare-query.ts';
import type { MaterializationPlan, PlanResult } from '../../src/model/materialization-plan.ts';
import type {
  EndpointRecord,
  MaterializationRecord,
  VersionRecord,
} from '../../src/store/endpoint-record.ts';

const at = new Date('2026-03-01T12:00:00.000Z');

const plan: PlanResult = { kind: 'plan', plan: { storedQuery: 'SELECT 1' } as MaterializationPlan };
const refusal: PlanResult = { kind: 'refusal', reason: 'It uses now().' };

const off: MaterializationRecord = {
  id: 'm1',
  enabled: false,
  syncFrequency: '1hour',
  maxRows: 7,
  plan: null,
  reason: null,
  tableName: null,
  lastMaterializedAt: null,
  lastFailedAt: null,
  cancelledAt: null,
  settingsChangedAt: null,
  readMs: null,
  inlineMs: null,
  attempts: 0,
  claimedUntil: null,
  error: null,
  nextSyncAt: null,
  rowCount: null,
  byteCount: null,
};

const version: VersionRecord = {
  id: 'v2',
  endpointId: 'e1',
  version: 2,
  description: 'as it was',
  query: { kind: 'SQLQuery', query: 'SELECT 1 AS n', variables: {} },
  columns: [{ name: 'n', type: 'UInt8' }],
  columnsRevision: 0,
  variables: [],
  cacheAgeSeconds: 60,
  isActive: true,
  refusedAt: null,
  createdById: 1,
  createdAt: at,
  materialization: off,
};

const endpoint: EndpointRecord = {
  id: 'e1',
  projectId: 1,
  name: 'sales',
  isActive: true,
  derivedFromInsight: null,
  graphqlName: 'sales',
  tags: [],
  createdAt: at,
  updatedAt: at,
  lastExecutedAt: null,
  createdById: 1,
  projectLimits: {},
  dataRevision: 0,
  recordsValues: false,
  currentVersion: version,
};

const nothing: UpdateRequest = {
  description: undefined,
  query: undefined,
  graphqlName: undefined,
  tags: undefined,
  cacheAgeSeconds: undefined,
  isActive: undefined,
  isMaterialized: undefined,
  syncFrequency: undefined,
  maxStoredRows: undefined,
  version: null,
};

const prepared: PreparedQuery = {
  query: { kind: 'SQLQuery', query: 'SELECT 2 AS n', variables: {} },
  columns: [{ name: 'n', type: 'UInt16' }],
  variables: [],
  planned: plan,
};

const on: VersionRecord = { ...version, materialization: { ...off, enabled: true } };
const inactive: VersionRecord = { ...version, isActive: false };

function decide(request: Partial<UpdateRequest>, over: Partial<UpdateFacts> = {}) {
  const facts = { endpoint, version, changedQuery: null, planned: undefined, userId: 9 };
  return decideUpdate({ ...facts, ...over, request: { ...nothing, ...request } });
}

const refused = (detail: string) =>
  expect.objectContaining({ code: 'cannot_materialize', message: expect.stringContaining(detail) });

describe('changedQuery', () => {
  it('is null for the query of the version, whatever the order of its members', () => {
    const same = { variables: {}, query: 'SELECT 1 AS n', kind: 'SQLQuery' } as const;
    expect(changedQuery({ ...prepared, query: same }, { endpoint, version })).toBeNull();
    expect(changedQuery(null, { endpoint, version })).toBeNull();
  });

  it('is the prepared query when anything of it differs, its kind included', () => {
    expect(changedQuery(prepared, { endpoint, version })).toBe(prepared);
    const kind = { ...prepared, query: { ...prepared.query, kind: 'HogQLQuery' as const } };
    expect(changedQuery(kind, { endpoint, version })).toBe(kind);
  });
});

describe('an update without a query', () => {
  it('changes what the request names of the version, and nothing else', () => {
    expect(decide({ description: '', cacheAgeSeconds: null, maxStoredRows: 5 })).toEqual({
      isActive: undefined,
      stopsMaterializations: false,
      version: {
        description: '',
        cacheAgeSeconds: null,
        isActive: undefined,
        materialization: {
          enabled: undefined,
          syncFrequency: undefined,
          maxRows: 5,
          planned: undefined,
        },
      },
    });
  });

  it('turns the endpoint off, and every materialization with it', () => {
    expect(decide({ isActive: false }, { version: on })).toMatchObject({
      isActive: false,
      stopsMaterializations: true,
      version: { isActive: undefined, materialization: { enabled: false } },
    });
  });

  it('turns only the version off when one is named', () => {
    expect(decide({ isActive: false, version: 2 }, { version: on })).toMatchObject({
      isActive: undefined,
      stopsMaterializations: false,
      version: { isActive: false, materialization: { enabled: false } },
    });
  });

  it('turns materialization on by the plan', () => {
    const change = decide({ isMaterialized: true }, { planned: plan });
    expect(change.version?.materialization).toMatchObject({ enabled: true, planned: plan });
  });

  it('leaves the plan of a version that is on: its table was made by it', () => {
    const change = decide({ isMaterialized: true }, { version: on, planned: plan });
    expect(change.version?.materialization).toMatchObject({ enabled: true, planned: undefined });
  });

  it.each([
    ['the planner’s reason', refusal, 'It uses now().'],
    ['that nobody could say', undefined, 'The engine could not determine'],
  ])('refuses to materialize with %s', (_what, planned, detail) => {
    expect(() => decide({ isMaterialized: true }, { planned })).toThrow(refused(detail));
  });
});

describe('materialization of what is inactive', () => {
  const asleep = { ...endpoint, isActive: false };

  it.each<[string, Partial<UpdateRequest>, Partial<UpdateFacts>]>([
    ['endpoint', {}, { endpoint: asleep }],
    ['endpoint', { isActive: false }, {}],
    ['endpoint', { version: 2, isActive: true }, { endpoint: asleep }],
    ['version', {}, { version: inactive }],
    ['version', { isActive: true }, { version: inactive }],
    ['version', { version: 2, isActive: false }, {}],
  ])('is refused for the %s', (what, request, facts) => {
    const decision = () =>
      decide({ ...request, isMaterialized: true }, { planned: plan, ...facts });
    expect(decision).toThrow(refused(`The ${what} is inactive.`));
  });

  it('is accepted when the same request activates it', () => {
    for (const [request, facts] of [
      [{ isActive: true }, { endpoint: asleep }],
      [{ isActive: true, version: 2 }, { version: inactive }],
    ] as const) {
      const change = decide({ ...request, isMaterialized: true }, { planned: plan, ...facts });
      expect(change.version?.materialization).toMatchObject({ enabled: true });
    }
  });
});

describe('a changed query', () => {
  const changed = { changedQuery: prepared, planned: plan };

  it('makes a version that inherits every setting that the request does not name', () => {
    expect(decide({}, changed)).toEqual({
      isActive: undefined,
      stopsMaterializations: false,
      newVersion: {
        query: prepared.query,
        columns: prepared.columns,
        variables: [],
        description: 'as it was',
        cacheAgeSeconds: 60,
        createdById: 9,
        materialization: { enabled: false, syncFrequency: '1hour', maxRows: 7, planned: plan },
      },
    });
  });

  it('makes a version with the settings that the request names', () => {
    const request = {
      description: '',
      cacheAgeSeconds: null,
      isMaterialized: true,
      syncFrequency: '5min' as const,
      maxStoredRows: null,
    };
    expect(decide(request, changed).newVersion).toMatchObject({
      description: '',
      cacheAgeSeconds: null,
      materialization: { enabled: true, syncFrequency: '5min', maxRows: null },
    });
  });

  it('goes on being materialized, or is refused whole', () => {
    expect(decide({}, { ...changed, version: on }).newVersion?.materialization.enabled).toBe(true);
    const impossible = { ...changed, version: on, planned: refusal };
    expect(() => decide({}, impossible)).toThrow(refused('It uses now().'));
    const stopped = decide({ isMaterialized: false }, impossible);
    expect(stopped.newVersion?.materialization).toMatchObject({ enabled: false, planned: refusal });
  });

  it('is active, also when the version before it is not', () => {
    const change = decide({ isMaterialized: true }, { ...changed, version: inactive });
    expect(change.newVersion?.materialization.enabled).toBe(true);
  });
});
