/** haproxy in front of the processes, configured as docs/operations.md says. */
import { openHaproxy } from '../../support/haproxy.ts';

export interface Balancer {
  readonly url: string;
  close(): Promise<void>;
}

export async function openBalancer(options: {
  readonly dir: string;
  readonly port: number;
  readonly targets: readonly number[];
}): Promise<Balancer> {
  const url = `http://127.0.0.1:${options.port}`;
  const { close } = await openHaproxy({
    dir: options.dir,
    config: configOf(options),
    isReady: async () => (await fetch(`${url}/readyz`).catch(() => null))?.status === 200,
  });
  return { url, close };
}

function configOf({
  port,
  targets,
}: {
  readonly port: number;
  readonly targets: readonly number[];
}) {
  const servers = targets.map((target, at) => `  server querydock${at} 127.0.0.1:${target}`);
  return `defaults
  mode http
  timeout connect 1s
  timeout client 60s
  timeout server 60s
  timeout check 2s
  retries 3
  option redispatch 1
  retry-on conn-failure empty-response
frontend callers
  bind 127.0.0.1:${port}
  default_backend querydock
backend querydock
  http-request disable-l7-retry if !METH_GET
  balance roundrobin
  option httpchk GET /readyz
  default-server check inter 500ms fall 2 rise 1
${servers.join('\n')}
`;
}
