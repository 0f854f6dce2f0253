/** A ClickHouse with several nodes. */
import { z } from 'zod';
import { setting } from './setting.ts';

export const clusterSettings = {
  clickhouseCluster: setting<string>(
    'CLICKHOUSE_CLUSTER',
    'name',
    '',
    z.string().regex(/^[\w.-]*$/, 'is not the name of a cluster'),
    'Name of the cluster in system.clusters, if CLICKHOUSE_URL reaches one of several nodes. Empty: CLICKHOUSE_URL is the only node.',
  ),
  clickhouseNodes: {
    ...setting<string>(
      'CLICKHOUSE_NODES',
      'comma-separated URLs, without user and password',
      '',
      z.string().refine(isNodeList, 'is not a list of URLs that begin with http:// or https://'),
      'Every node of a cluster without ON CLUSTER: the service chooses the node per query. User and password come from CLICKHOUSE_URL.',
    ),
    mayHaveBlanks: true,
  },
} as const;

function isNodeList(value: string): boolean {
  return value === '' || (value.length <= 65_536 && nodeUrls(value).every(isNodeUrl));
}

/** The setting's URLs in order, without duplicates. */
export function nodeUrls(value: string): readonly string[] {
  const urls = value.split(',').map((url) => url.trim().replace(/\/+$/, ''));
  return value === '' ? [] : [...new Set(urls)];
}

function isNodeUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, username, password, search, hash } = new URL(url);
  return /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === '';
}

/** Empty when the settings are consistent. */
export function problemsOfCluster(config: {
  readonly clickhouseUrl: string;
  readonly clickhouseCluster: string;
  readonly clickhouseNodes: string;
}): readonly string[] {
  if (config.clickhouseUrl !== '') return [];
  return [
    ['CLICKHOUSE_CLUSTER', config.clickhouseCluster],
    ['CLICKHOUSE_NODES', config.clickhouseNodes],
  ].flatMap(([name, value]) =>
    value === '' ? [] : [`${name} needs CLICKHOUSE_URL, with the user and the password.`],
  );
}
