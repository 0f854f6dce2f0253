import type { Change } from '../store/change.ts';
import type { ChangeFeed } from '../store/change-feed.ts';
import { endpointKey, fieldKey, type Lookups } from './lookups.ts';

/**
 * Drops lookups of what another process changed, and has all of them read again when the feed is back after a gap. During
 * a gap the maximum age of a lookup bounds how outdated it can be, and that of an outage while it cannot be read again, so
 * a restart of the metadata database goes unnoticed.
 */
export function followChanges(feed: ChangeFeed, lookups: Lookups): void {
  feed.onChange((change) => forget(lookups, change));
  feed.onGap(() => {
    if (!feed.isConnected()) return;
    for (const cache of Object.values(lookups)) cache.expire();
  });
}

function forget(lookups: Lookups, change: Change): void {
  if (change.kind === 'key') lookups.keys.clear();
  // Endpoints are remembered with the limits of their project and the revision of its data.
  if (change.kind === 'project') lookups.endpoints.clear();
  if (change.kind !== 'endpoint') return;
  const { projectId, name, fields } = change;
  lookups.endpoints.invalidate(endpointKey(projectId, name));
  lookups.versions.clear();
  if (fields === null) lookups.fields.clear();
  else for (const field of fields) lookups.fields.invalidate(fieldKey(projectId, field));
}
