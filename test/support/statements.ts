import type { TestApp } from './test-app.ts';

/** What the recorders of executions, of last uses and of usage write every few seconds, whatever else is under way. */
const recorded = /^(WITH later AS|INSERT INTO query_status|WITH fresh AS)/;

/** The SQL statements that one call sends to the metadata database, without those of the recorders. */
export async function statementsOf(
  test: TestApp,
  call: () => Promise<unknown>,
): Promise<readonly string[]> {
  await test.app.core.recorder.flush();
  test.takeStatements();
  await call();
  return test.takeStatements().filter((sql) => !recorded.test(sql));
}
