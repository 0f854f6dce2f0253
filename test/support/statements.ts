import type { TestApp } from './test-app.ts';

/** What the recorder of executions and of last uses writes: once a second, whatever else is under way. */
const recorded = /^(WITH later AS|INSERT INTO query_status)/;

/** The SQL statements that one call sends to the metadata database, without those of the recorder. */
export async function statementsOf(
  test: TestApp,
  call: () => Promise<unknown>,
): Promise<readonly string[]> {
  await test.app.core.recorder.flush();
  test.takeStatements();
  await call();
  return test.takeStatements().filter((sql) => !recorded.test(sql));
}
