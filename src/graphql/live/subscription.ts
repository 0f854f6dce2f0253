/** A subscription as a client sent it: what it selects, and where its errors belong. */
import { createHash } from 'node:crypto';
import type { DocumentNode } from 'graphql';
import { stableJson } from '../../lib/stable-json.ts';
import { placedAt } from '../errors.ts';
import { rootFieldOf } from './root-field.ts';

/** A valid subscription with its variable values. */
export interface Subscription {
  readonly text: string;
  readonly document: DocumentNode;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The error at the field of the subscription, unless it has a position. */
export function placedIn({ document, operationName }: Subscription, error: unknown): unknown {
  return placedAt(error, () => rootFieldOf(document, operationName));
}

/**
 * Variable values that decide the selection, by `@skip` and `@include`. All others are arguments of the run, which is
 * the same for everyone who shares its content; or `lastContentId`, which is each subscriber's own.
 */
export function selecting(
  variables: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const entries = Object.entries(variables).filter(([, value]) => typeof value === 'boolean');
  return Object.fromEntries(entries);
}

/** Subscriptions with the same text and values get the same bytes. */
export function nameOf({ text, operationName, variables }: Subscription): string {
  const content = stableJson([text, operationName, variables]);
  return `graphql ${createHash('sha256').update(content).digest('base64url')}`;
}
