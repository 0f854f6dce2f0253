/**
 * The local nodes' folders in a data folder. They determine how many nodes there are, because each node has rows that
 * no other has.
 */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, ConfigError } from '../../config/config.ts';
import { makePrivateFolder } from '../../lib/private-folder.ts';

const FIRST = 'clickhouse';
const FURTHER = /^clickhouse-(\d{1,3})$/;

/**
 * In node order. Adding empty folders turns one node into several; no other change is made, since no start moves rows.
 *
 * @throws ConfigError when the data folder has a different number of them than LOCAL_NODES.
 */
export function prepareNodeFolders({
  dataDir,
  localNodes,
}: Pick<Config, 'dataDir' | 'localNodes'>): readonly string[] {
  const found = countNodes(dataDir);
  const wanted = localNodes === 0 ? Math.max(found, 1) : localNodes;
  if (found > 1 && wanted !== found) throw otherNumber(dataDir, { found, wanted });
  const dirs = Array.from({ length: wanted }, (_, at) =>
    join(dataDir, at === 0 ? FIRST : `${FIRST}-${at + 1}`),
  );
  // Last one first, so that an interrupted start is not mistaken for one with fewer nodes.
  if (wanted > 1) {
    for (const dir of dirs.toReversed()) makePrivateFolder(dir);
  }
  return dirs;
}

/** 0 when it has none yet. */
function countNodes(dataDir: string): number {
  if (!existsSync(dataDir)) return 0;
  const further = readdirSync(dataDir).map((name) => Number(FURTHER.exec(name)?.[1] ?? 0));
  return Math.max(existsSync(join(dataDir, FIRST)) ? 1 : 0, ...further);
}

function otherNumber(
  dataDir: string,
  { found, wanted }: { readonly found: number; readonly wanted: number },
): ConfigError {
  return new ConfigError(
    `The data folder ${dataDir} has ${found} local ClickHouse nodes, not ${wanted}, and each node has rows that no other has. Start with --nodes ${found} (LOCAL_NODES=${found}) or without a number, or use another folder for ${wanted}: DATA_DIR=${dataDir}-${wanted}.`,
  );
}
