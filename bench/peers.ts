import { startChild } from './child-server.ts';
import { type DemoServer, withDemo } from './demo-server.ts';
import type { Effort } from './effort.ts';
import { type Figure, figure, notMeasured } from './figure.ts';
import { installPeers } from './install-peers.ts';
import { openPeers, type Peer } from './peer-list.ts';
import { onTwoCores, runPairs } from './side-by-side.ts';

/** Other products with the same rows on this machine, one after the other, each in turns with the service. */
export function measurePeers(effort: Effort): Promise<readonly Figure[]> {
  const versions = installPeers();
  return withDemo(async (demo) => {
    const figures: Figure[] = [];
    for (const peer of await openPeers(demo)) {
      const version = versions[peer.name];
      figures.push(
        ...(version === undefined
          ? [notMeasured(`beside ${peer.name}`, peer.target, 'could not be installed')]
          : await compare(demo, { ...peer, name: `${peer.name} ${version}` }, effort)),
      );
    }
    return figures;
  });
}

async function compare(demo: DemoServer, peer: Peer, effort: Effort): Promise<readonly Figure[]> {
  const child = await startChild(peer.server);
  const { path, ...request } = peer.request;
  const pair = {
    own: { load: peer.own, pids: [demo.server.pid] },
    other: { load: { ...request, url: child.url + path }, pids: [child.pid] },
  };
  try {
    const rounds = effort.of({ rounds: 7, seconds: 0.6, connections: 32 });
    const pids = [demo.server.pid, child.pid];
    const [turns = []] = await onTwoCores(pids, () => runPairs([pair], rounds));
    const name = `beside ${peer.name}`;
    return [
      figure(name, 'times its throughput', {
        samples: turns.map(({ own, other }) => own.perSecond / other.perSecond),
        target: peer.target,
        note: peer.note,
      }),
      figure(name, 'times as cheap by processor time', {
        samples: turns.map(({ own, other }) => other.cpuMicros / own.cpuMicros),
      }),
    ];
  } finally {
    await child.stop();
  }
}
