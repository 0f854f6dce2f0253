import * as conventions from '@opentelemetry/semantic-conventions/incubating';
import { expect, it } from 'vitest';
import { own, semantic } from '../../src/tracing/attributes.ts';

const known: ReadonlySet<unknown> = new Set(
  Object.entries(conventions).flatMap(([name, value]) => (name.startsWith('ATTR_') ? [value] : [])),
);

it.each(Object.values(semantic))('%s is a name of the semantic conventions', (name) => {
  expect(known).toContain(name);
});

it.each(Object.values(own))('%s is ours alone', (name) => {
  expect(name).toMatch(/^querydock\./);
  expect(known).not.toContain(name);
});

it('names ClickHouse as the conventions do', () => {
  expect(conventions.DB_SYSTEM_NAME_VALUE_CLICKHOUSE).toBe('clickhouse');
});
