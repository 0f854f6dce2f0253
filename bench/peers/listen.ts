import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Says where the server is: its port, in a line of standard output. */
export function listen(server: Server): void {
  server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
}
