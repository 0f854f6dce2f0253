import { formatBytes, formatCount } from '../ui/format.ts';
import { Ago, Badge } from '../ui/parts.tsx';
import { type Process, processName } from './health.ts';
import { HealthTable } from './health-table.tsx';

const columns = [
  'Process',
  'State',
  'Version',
  'Started',
  ['Connections'],
  ['Live streams'],
  ['Memory'],
] as const;

export function Processes({ processes }: { processes: readonly Process[] }) {
  return (
    <HealthTable title="Processes" columns={columns}>
      {processes.map((process) => (
        <tr key={process.id}>
          <td className="nowrap">
            <bdi title={process.id}>{processName(process)}</bdi>
          </td>
          <td>
            <State process={process} />
          </td>
          <td>
            <bdi>{process.version}</bdi>
          </td>
          <td className="nowrap">
            <Ago at={process.startedAt} />
          </td>
          <td className="number">{formatCount(process.connections)}</td>
          <td className="number">{formatCount(process.liveStreams)}</td>
          <td className="number">{formatBytes(process.memoryBytes)}</td>
        </tr>
      ))}
    </HealthTable>
  );
}

function State({ process }: { process: Process }) {
  if (process.isSilent)
    return (
      <>
        <Badge tone="bad">Silent</Badge> <span className="small muted">seen </span>
        <Ago at={process.seenAt} />
      </>
    );
  if (process.isDraining) return <Badge tone="warn">Stopping</Badge>;
  return (
    <>
      <Badge tone="good">Serving</Badge>
      {process.isThis && <span className="small muted"> this page</span>}
    </>
  );
}
