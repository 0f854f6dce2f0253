import type { Change } from '../store/change.ts';
import type { ChangeFeed } from '../store/change-feed.ts';
import { endpointKey, fieldKey, type Lookups } from './lookups.ts';

/**
 * Drops lookups that another process changed, and reloads all of them when the feed is back after a gap. During a gap
 * the maximum age of a lookup bounds how outdated it can be, and the outage age applies while it cannot be reloaded, so
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
  // Cached endpoints include their project's limits and data revision.
  if (change.kind === 'project') lookups.endpoints.clear();
  if (change.kind !== 'endpoint') return;
  const { projectId, name, fields } = change;
  lookups.endpoints.invalidate(endpointKey(projectId, name));
  lookups.versions.clear();
  if (fields === null) lookups.fields.clear();
  else for (const field of fields) lookups.fields.invalidate(fieldKey(projectId, field));
}
