import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** On a free port of this machine, by each of its names. Resolves with the port. */
export function listenOn(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, () => resolve((server.address() as AddressInfo).port));
  });
}
