import { useMay } from '../api/scopes.ts';
import { useApi } from '../api/use-api.ts';
import { ServiceHealthDocument } from '../generated/graphql.ts';
import { formatCount } from '../ui/format.ts';
import { Empty, ErrorNote, Fact, Facts, Loading, Note, PageHead } from '../ui/parts.tsx';
import { useTitle } from '../ui/use-title.ts';
import { Backends, Engines, MissedTables } from './depended-on.tsx';
import { type Health, problemsOf } from './health.ts';
import { Processes } from './processes.tsx';
import { QueuesAndCaches } from './queues-and-caches.tsx';

const everyMs = 5000;

/** The health of the whole service, beyond the project: for administrators. */
export function HealthView() {
  useTitle('Health');
  const { admin } = useMay();
  if (admin) return <ServiceHealth />;
  return (
    <Empty title="This key may not see the health of the service">
      <p>
        It is about all projects, so it needs the scope admin. Whether the service takes requests is
        at <code>/readyz</code>.
      </p>
    </Empty>
  );
}

function ServiceHealth() {
  const { data, error } = useApi(ServiceHealthDocument, {}, { everyMs, keep: true });
  const health = data?.health;
  return (
    <div className="view">
      <PageHead
        title="Health"
        about={
          <p>All processes of the service and what they depend on. Refreshes every 5 seconds.</p>
        }
      />
      {error !== null && <ErrorNote error={error} />}
      {health === undefined || health === null ? (
        error === null && <Loading lines={8} />
      ) : (
        <Shown health={health} />
      )}
    </div>
  );
}

function Shown({ health }: { health: Health }) {
  const [first] = health.processes;
  return (
    <>
      <Verdict health={health} />
      <Processes processes={health.processes} />
      {first !== undefined && <Engines process={first} />}
      <MissedTables missed={health.missedTables ?? []} />
      <Backends processes={health.processes} />
      <QueuesAndCaches processes={health.processes} />
      <Syncs syncs={health.syncs} />
    </>
  );
}

function Verdict({ health }: { health: Health }) {
  const problems = problemsOf(health);
  return (
    <div role="status">
      {problems.length === 0 ? (
        <Note tone="good">
          <p>Everything is up, and nothing has failed.</p>
        </Note>
      ) : (
        <Note tone="warn">
          <ul className="plain-list">
            {problems.map((problem) => (
              <li key={problem}>
                <bdi>{problem}</bdi>
              </li>
            ))}
          </ul>
        </Note>
      )}
    </div>
  );
}

function Syncs({ syncs }: { syncs: Health['syncs'] }) {
  return (
    <section className="panel pad stack" aria-label="Materializations">
      <h2>Materializations of all projects</h2>
      {syncs === null ? (
        <p className="muted">Unknown while PostgreSQL is unreachable.</p>
      ) : (
        <Facts>
          <Fact name="On">{formatCount(syncs.enabled)}</Fact>
          <Fact name="Syncs running">{formatCount(syncs.running)}</Fact>
          <Fact name="Syncs due">{formatCount(syncs.due)}</Fact>
          <Fact name="Newest sync failed">{formatCount(syncs.failed)}</Fact>
        </Facts>
      )}
    </section>
  );
}
