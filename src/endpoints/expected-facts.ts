import { invalidInput } from '../errors/service-error.ts';
import { toSnakeCase } from '../lib/snake-case.ts';
import { stableJson } from '../lib/stable-json.ts';
import { type RowLimits, rowLimitOf } from '../model/row-limit.ts';
import { pagePath, runPath } from './endpoint-urls.ts';
import type { Selected } from './resolve-version.ts';

/** Read-only members of an endpoint, as the caller read them: in camelCase; null counts as absent. */
export type ExpectedFacts = Readonly<Record<string, unknown>>;

interface Fact {
  readonly actual: (target: Selected, limits: RowLimits) => unknown;
  /** Converts the caller's value to the form of the actual one. */
  readonly read: (value: unknown) => unknown;
}

const asGiven = (value: unknown): unknown => value;
const toTime = (value: unknown): unknown =>
  value instanceof Date || typeof value === 'string' ? new Date(value).getTime() : value;
const toUserId = (value: unknown): unknown => memberOf(value, 'id') ?? value;
/** Scheme and host depend on how the caller reaches the service. */
const toPath = (value: unknown): unknown => String(value).replace(/^https?:\/\/[^/]*/, '');

const facts: Readonly<Record<string, Fact>> = {
  id: { actual: ({ endpoint }) => endpoint.id, read: asGiven },
  endpointPath: { actual: ({ endpoint }) => runPath(endpoint), read: asGiven },
  url: { actual: ({ endpoint }) => runPath(endpoint), read: toPath },
  uiUrl: { actual: ({ endpoint }) => pagePath(endpoint), read: toPath },
  createdAt: { actual: ({ endpoint }) => endpoint.createdAt.getTime(), read: toTime },
  createdBy: { actual: ({ endpoint }) => endpoint.createdById, read: toUserId },
  currentVersion: { actual: ({ endpoint }) => endpoint.currentVersion.version, read: asGiven },
  currentVersionId: { actual: ({ endpoint }) => endpoint.currentVersion.id, read: asGiven },
  // Versions are numbered from 1, and none is ever deleted.
  versionsCount: { actual: ({ endpoint }) => endpoint.currentVersion.version, read: asGiven },
  columns: { actual: ({ version }) => version.columns, read: asGiven },
  variables: { actual: ({ version }) => version.variables, read: asGiven },
  versionId: { actual: ({ version }) => version.id, read: asGiven },
  versionCreatedAt: { actual: ({ version }) => version.createdAt.getTime(), read: toTime },
  versionCreatedBy: { actual: ({ version }) => version.createdById, read: toUserId },
  endpointIsActive: { actual: ({ endpoint }) => endpoint.isActive, read: asGiven },
};

/** Whether the caller sends a complete endpoint or version, as it was read. */
export function isWholeObject({ id = null, currentVersion = null }: ExpectedFacts): boolean {
  return id !== null && currentVersion !== null;
}

/** Settings within the materialization. Its other members change without an update. */
const settings: Readonly<Record<string, Fact['actual']>> = {
  syncFrequency: ({ version }) => version.materialization.syncFrequency,
  maxStoredRows: ({ version }, limits) => rowLimitOf(version.materialization.maxRows, limits),
};

/** These change without an update of the endpoint, so any value is accepted. */
const moving: ReadonlySet<string> = new Set(['updatedAt', 'lastExecutedAt']);

/**
 * Refuses an update that tries to change read-only members, so that nothing is lost silently. Throws `invalid_input`,
 * naming the member.
 */
export function requireExpected(
  expected: ExpectedFacts,
  target: Selected,
  limits: RowLimits,
): void {
  for (const [name, value] of Object.entries(expected)) {
    if (value === null || moving.has(name)) continue;
    if (name === 'materialization') {
      requireSettings(value, target, limits);
      continue;
    }
    const fact = Object.hasOwn(facts, name) ? facts[name] : undefined;
    if (fact === undefined) throw invalidInput('expected', `An endpoint has no member ${name}.`);
    if (stableJson(fact.read(value)) !== stableJson(fact.actual(target, limits))) {
      throw differs(toSnakeCase(name));
    }
  }
}

function requireSettings(given: unknown, target: Selected, limits: RowLimits): void {
  for (const [name, actual] of Object.entries(settings)) {
    const value = memberOf(given, name) ?? null;
    if (value !== null && value !== actual(target, limits)) {
      throw differs(
        `materialization.${toSnakeCase(name)}`,
        `Use ${toSnakeCase(name)} to change it.`,
      );
    }
  }
}

function differs(attr: string, advice = 'Omit it, or send the current value.'): Error {
  return invalidInput(
    attr,
    `${attr} is read-only here, and differs from the stored value. ${advice}`,
  );
}

function memberOf(value: unknown, name: string): unknown {
  return value !== null && typeof value === 'object'
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
