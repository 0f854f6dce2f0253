import { useMay } from '../api/scopes.ts';
import { useApi, useWrite } from '../api/use-api.ts';
import { useEndpointHead } from '../endpoints/endpoint-frame.tsx';
import { StoredState } from '../endpoints/endpoint-states.tsx';
import {
  CancelSyncDocument,
  MaterializationDocument,
  type MaterializationPartsFragment,
  SyncNowDocument,
  UpdateEndpointDocument,
} from '../generated/graphql.ts';
import { useProject } from '../shell/use-project.ts';
import { formatBytes, formatSeconds, plural } from '../ui/format.ts';
import { Ago, Button, ErrorNote, Fact, Facts, Loading, Note } from '../ui/parts.tsx';
import { Cadence } from './cadence.tsx';
import { MaterializationPlan } from './materialization-plan.tsx';
import { SyncHistory } from './sync-history.tsx';
import { usePlan, useRefresh } from './use-plan.ts';

type Status = MaterializationPartsFragment;

/** What is stored for the current version, or what storing would gain. Follows a running sync. */
export function MaterializationView() {
  const { name } = useEndpointHead();
  const project = useProject();
  const { data, error } = useApi(
    MaterializationDocument,
    { projectId: project, name },
    { everyMs: 2000 },
  );
  if (error !== null) return <ErrorNote error={error} />;
  const status = data?.materializationStatus;
  if (status === undefined || status === null) return <Loading lines={6} />;
  return <StoredTable status={status} />;
}

function StoredTable({ status }: { status: Status }) {
  const { enabled, ready } = status;
  const isSyncing = enabled && status.status === 'Running';
  // A sync is at work on the same rows, and one that was cancelled or failed was not asked to be measured.
  const measured = usePlan(!enabled || (ready && !isSyncing));
  const isWorse = (measured.plan?.gain?.expectedGain ?? 1) < 1;
  return (
    <div className="stored">
      <section className="panel padded stack" aria-label="State">
        <div className="stored-head">
          <div className="stored-words">
            <h2>
              {status.enabled ? 'Stored table' : 'Not materialized'}{' '}
              {status.enabled && (
                <StoredState isMaterialized status={status.status} ready={status.ready} />
              )}
            </h2>
            <p className="muted">{wordsOf(status)}</p>
          </div>
          <StoredActions status={status} isWorse={isWorse} />
        </div>
        {status.progress !== null && <SyncProgress progress={status.progress} />}
        {status.error !== null && (
          <ErrorNote error={{ message: status.error }} title="The last sync failed" />
        )}
        {!status.canMaterialize && status.reason !== null && (
          <Note tone="warn">
            <strong>It cannot be materialized</strong>
            <p>
              <bdi>{status.reason}</bdi>
            </p>
          </Note>
        )}
        {status.enabled && <StoredFacts status={status} />}
      </section>
      {status.history.length > 0 && (
        <SyncHistory history={status.history} nextSyncAt={status.nextSyncAt} />
      )}
      <MaterializationPlan
        measured={measured}
        isOn={enabled}
        isSyncing={isSyncing}
        isKnown={enabled && status.inlineMs !== null && status.readMs !== null}
      />
    </div>
  );
}

function wordsOf({ enabled, servedFrom, ready, canMaterialize }: Status): string {
  if (!enabled)
    return canMaterialize
      ? 'Runs that are not cached read the source data.'
      : 'Runs read the source data.';
  if (servedFrom === 'materialized') return 'Runs read the stored table.';
  return ready
    ? 'Runs read the source data, which is clearly faster for this query.'
    : 'Runs read the source data until the stored table is ready.';
}

function StoredFacts({ status }: { status: Status }) {
  const { rows, bytes, lastMaterializedAt, nextSyncAt, syncFrequency, inlineMs, readMs } = status;
  return (
    <Facts>
      {rows !== null && <Fact name="Rows">{plural(rows, 'row')}</Fact>}
      {bytes !== null && <Fact name="On disk">{formatBytes(bytes)}</Fact>}
      <Fact name="Last synced">
        <Ago at={lastMaterializedAt} />
      </Fact>
      {syncFrequency !== null && (
        <Fact name="Rebuilt every">
          <Cadence every={syncFrequency} />
        </Fact>
      )}
      {nextSyncAt !== null && (
        <Fact name="Next sync">
          <Ago at={nextSyncAt} />
          {status.status === 'Completed' && (
            <span className="muted"> · a little early, so that syncs are spread</span>
          )}
        </Fact>
      )}
      {inlineMs !== null && readMs !== null && (
        <Fact name="A run takes">
          {formatSeconds(readMs / 1000)}
          <span className="muted"> instead of {formatSeconds(inlineMs / 1000)}</span>
        </Fact>
      )}
    </Facts>
  );
}

function SyncProgress({ progress }: { progress: NonNullable<Status['progress']> }) {
  const { percent, rowsRead, rowsTotal, timeElapsed } = progress;
  return (
    <div role="status">
      <progress
        className="meter"
        aria-label="Sync"
        {...(percent === null ? {} : { value: percent, max: 100 })}
      />
      <p className="small muted">
        Read {plural(rowsRead, 'row')}
        {rowsTotal > 0 && ` of about ${plural(rowsTotal, 'row')}`} in {formatSeconds(timeElapsed)}
      </p>
    </div>
  );
}

/** @param isWorse whether runs are expected to be slower with a stored table. */
function StoredActions({ status, isWorse }: { status: Status; isWorse: boolean }) {
  const project = useProject();
  const { write } = useMay();
  const { name, revision } = useEndpointHead();
  const refresh = useRefresh();
  const sync = useWrite(SyncNowDocument, refresh);
  const cancel = useWrite(CancelSyncDocument, refresh);
  const change = useWrite(UpdateEndpointDocument, refresh);
  if (!write) return null;
  const target = { projectId: project, name };
  const error = sync.error ?? cancel.error ?? change.error;
  const turn = (isMaterialized: boolean) =>
    change.mutate({ ...target, input: { isMaterialized }, ifMatch: [revision] });
  return (
    <div className="stack">
      <div className="actions">
        {status.enabled && status.status === 'Running' && (
          <Button onClick={() => cancel.mutate(target)} busy={cancel.isPending}>
            Cancel the sync
          </Button>
        )}
        {status.enabled && status.status !== 'Running' && (
          <Button look="primary" onClick={() => sync.mutate(target)} busy={sync.isPending}>
            Sync now
          </Button>
        )}
        {status.enabled ? (
          <Button look="danger" onClick={() => turn(false)} busy={change.isPending}>
            Drop the stored table
          </Button>
        ) : (
          <Button
            look={isWorse ? 'plain' : 'primary'}
            disabled={!status.canMaterialize}
            onClick={() => turn(true)}
            busy={change.isPending}
          >
            Materialize
          </Button>
        )}
      </div>
      {error !== null && <ErrorNote error={error} />}
    </div>
  );
}
