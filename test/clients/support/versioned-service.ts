/** A started service for the clients: five endpoints, of which `sales` has three versions. */
import { openTestApp, type TestApp } from '../../support/test-app.ts';

export interface VersionedService {
  readonly test: TestApp;
  /** Of `/graphql`, over a socket. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** By another caller than the client under test. */
  change(name: string, body: object): Promise<void>;
  /** All names in the order of lists: newest first. */
  names(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export const textOf = (version: number): string => `SELECT ${version} AS n`;

/** The query of `sales` as version N has it. */
export const queryOf = (version: number) => ({
  kind: 'SQLQuery',
  query: textOf(version),
  variables: {},
});

export async function openVersionedService(): Promise<VersionedService> {
  const test = await openTestApp({ port: 0, publicUrl: '' });
  await test.app.start();
  for (const name of ['a', 'b', 'c', 'd', 'sales'])
    await test.rest('POST', '/endpoints', { body: { name, query: textOf(1) } });
  const service: VersionedService = {
    test,
    url: `${test.app.publicUrl()}/graphql`,
    headers: { authorization: `Bearer ${test.project.writeKey}` },
    async change(name, body) {
      const { status } = await test.rest('PATCH', `/endpoints/${name}`, { body });
      if (status !== 200) throw new Error(`the change of ${name} failed: ${status}`);
    },
    async names() {
      const { body } = await test.rest('GET', '/endpoints');
      return (body.results as readonly { readonly name: string }[]).map(({ name }) => name);
    },
    close: () => test.close(),
  };
  for (const version of [2, 3]) await service.change('sales', { query: textOf(version) });
  return service;
}
