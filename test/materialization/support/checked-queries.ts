/** Queries that are materialized as long as the rows of their tables are of a certain kind, which each sync checks. */
import { expect } from 'vitest';
import type { TestApp } from '../../support/test-app.ts';
import { materialized, patch, save, servedRows, statusOf, sync } from './materialized.ts';

type Values = Readonly<Record<string, unknown>>;

let number = 0;

/** Each run returns the rows of the source from a stored table, with those of the values that the query has. */
export async function expectServed(
  test: TestApp,
  query: string,
  values: readonly Values[],
): Promise<void> {
  number += 1;
  const name = `checked_${number}`;
  await materialized(test, name, { query });
  for (const given of values) {
    const used = Object.entries(given).filter(([variable]) => query.includes(`{${variable}:`));
    await servedRows(test, name, Object.fromEntries(used));
  }
}

/** @param reason of the preview before, and of the status after a sync. */
export async function expectRefusedBySync(
  test: TestApp,
  query: string,
  reason: unknown,
): Promise<void> {
  number += 1;
  const name = `faulty_${number}`;
  await save(test, name, { query });
  const refused = { can_materialize: false, reason };
  const path = `/endpoints/${name}/materialization_preview`;
  expect((await test.rest('POST', path, { body: {} })).body).toMatchObject(refused);
  await patch(test, name, { is_materialized: true });
  await sync(test);
  expect(await statusOf(test, name)).toMatchObject(refused);
}

/** Refused when it is saved. */
export async function expectNeverMaterialized(
  test: TestApp,
  query: string,
  reason: string,
): Promise<void> {
  number += 1;
  const name = `never_${number}`;
  await save(test, name, { query });
  expect(await statusOf(test, name)).toMatchObject({
    can_materialize: false,
    reason: expect.stringContaining(reason),
  });
}
