import { formatBytes, formatCount, formatSeconds } from '../ui/format.ts';
import { Ago, Badge } from '../ui/parts.tsx';
import { backendName, type Health, type Process, processName } from './health.ts';
import { HealthTable } from './health-table.tsx';

const nodeColumns = ['Address', 'State', 'Version', 'Up for', ['Queries'], ['Memory']] as const;

/** The engine's nodes, as the responding process sees them. */
export function Engines({
  process: { engines, processorTimeProblem: problem },
}: {
  process: Process;
}) {
  const known =
    problem === null ? '' : ` The processor time of executions is not known: ${problem}`;
  return (
    <HealthTable
      title="Engine nodes"
      about={`Nodes for projects with their own databases. Servers that projects are bound to are not shown.${known}`}
      columns={nodeColumns}
    >
      {engines.map((node) => (
        <tr key={node.address}>
          <td className="nowrap">
            <bdi>{node.address}</bdi>
          </td>
          <td>
            <Answers isUp={node.isUp} />
          </td>
          <td>
            <bdi>{node.version ?? '–'}</bdi>
          </td>
          <td className="nowrap">
            {node.uptimeSeconds === null ? '–' : formatSeconds(node.uptimeSeconds)}
          </td>
          <td className="number">
            {node.runningQueries === null ? '–' : formatCount(node.runningQueries)}
          </td>
          <td className="number">
            {node.memoryBytes === null ? '–' : formatBytes(node.memoryBytes)}
          </td>
        </tr>
      ))}
    </HealthTable>
  );
}

/** Table changes that engine nodes have missed; empty when they have all. */
export function MissedTables({ missed }: { missed: NonNullable<Health['missedTables']> }) {
  if (missed.length === 0) return null;
  return (
    <HealthTable
      title="Tables to be copied"
      about="These changed while the node was unreachable."
      columns={['Node', 'Project', 'Table', 'State']}
    >
      {missed.map(({ node, project, projectId, table, isUnderWay }) => (
        <tr key={`${node} ${projectId} ${table}`}>
          <td>
            <bdi>{node}</bdi>
          </td>
          <td>
            <bdi>{project}</bdi>
          </td>
          <td>
            <bdi>{table}</bdi>
          </td>
          <td>
            <Badge tone={isUnderWay ? 'accent' : 'warn'}>
              {isUnderWay ? 'Copying' : 'Waiting'}
            </Badge>
          </td>
        </tr>
      ))}
    </HealthTable>
  );
}

const backendColumns = ['Backend', 'Process', 'State', ['Answered in'], 'Away since'] as const;

export function Backends({ processes }: { processes: readonly Process[] }) {
  const rows = processes
    .filter(({ isSilent }) => !isSilent)
    .flatMap((process) => process.backends.map((backend) => ({ process, backend })));
  return (
    <HealthTable title="Backends" columns={backendColumns}>
      {rows.map(({ process, backend }) => (
        <tr key={`${process.id} ${backend.name}`}>
          <td>
            <bdi>{backendName(backend.name)}</bdi>
          </td>
          <td className="nowrap">
            <bdi>{processName(process)}</bdi>
          </td>
          <td>
            <Answers isUp={backend.isUp} />
          </td>
          <td className="number nowrap">
            {backend.latencyMs === null ? '–' : `${backend.latencyMs.toFixed(1)} ms`}
          </td>
          <td className="nowrap">
            {backend.awaySince === null ? '–' : <Ago at={backend.awaySince} />}
          </td>
        </tr>
      ))}
    </HealthTable>
  );
}

function Answers({ isUp }: { isUp: boolean }) {
  return <Badge tone={isUp ? 'good' : 'bad'}>{isUp ? 'Answers' : 'Away'}</Badge>;
}
