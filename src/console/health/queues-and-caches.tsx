import { formatBytes, formatCount } from '../ui/format.ts';
import { hitRate, type Process, processName, queueName } from './health.ts';
import { HealthTable } from './health-table.tsx';

const queueColumns = ['Runs', 'Process', ['At the engine'], ['Waiting']] as const;
const cacheColumns = [
  'Process',
  ['Entries'],
  ['Held'],
  ['Hits'],
  ['Misses'],
  ['Found'],
  ['Evicted'],
] as const;

export function QueuesAndCaches({ processes }: { processes: readonly Process[] }) {
  const heard = processes.filter(({ isSilent }) => !isSilent);
  return (
    <>
      <HealthTable title="Queues" columns={queueColumns}>
        {heard.flatMap((process) =>
          process.queues.map(({ name, running, waiting, maxRunning, maxWaiting }) => (
            <tr key={`${process.id} ${name}`}>
              <td>{queueName(name)}</td>
              <td className="nowrap">
                <bdi>{processName(process)}</bdi>
              </td>
              <td className="number nowrap">
                {formatCount(running)} of {formatCount(maxRunning)}
              </td>
              <td className="number nowrap">
                {formatCount(waiting)} of {formatCount(maxWaiting)}
              </td>
            </tr>
          )),
        )}
      </HealthTable>
      <HealthTable
        title="Result cache"
        about="Per process, since it started. Hits include expired results."
        columns={cacheColumns}
      >
        {heard.map(({ cache, ...process }) => (
          <tr key={process.id}>
            <td className="nowrap">
              <bdi>{processName(process)}</bdi>
            </td>
            <td className="number">{formatCount(cache.entries)}</td>
            <td className="number nowrap">
              {formatBytes(cache.bytes)} of {formatBytes(cache.maxBytes)}
            </td>
            <td className="number">{formatCount(cache.hits)}</td>
            <td className="number">{formatCount(cache.misses)}</td>
            <td className="number">{hitRate(cache)}</td>
            <td className="number">{formatCount(cache.evictions)}</td>
          </tr>
        ))}
      </HealthTable>
    </>
  );
}
