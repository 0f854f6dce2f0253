/** Which project users the local engine has. They are in a file that it reads at its start, and each costs time then. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { slotsOf } from './config-files.ts';

export interface UserSlots {
  /** Projects 1..projects have a reader. */
  projects: number;
  /** Those that have a writer, besides the first ones. */
  readonly writers: Set<number>;
}

const MIN_SLOTS = 64;
const SPARE_SLOTS = 32;
/** Writers of so few projects take no time. */
const FIRST_WRITERS = 64;

export function slotsFor(projectId: number): number {
  return Math.max(MIN_SLOTS, projectId + SPARE_SLOTS);
}

export function hasWriter({ writers }: UserSlots, projectId: number): boolean {
  return projectId <= FIRST_WRITERS || writers.has(projectId);
}

/** @param writes whether it needs its writer, too. */
export function hasUsers(slots: UserSlots, projectId: number, writes: boolean): boolean {
  return projectId <= slots.projects && (!writes || hasWriter(slots, projectId));
}

/** Those of the previous start, so that the engine does not have to restart to reach them again. */
export async function openUserSlots(
  configDir: string,
  {
    highestProjectId,
    allWriters,
  }: { readonly highestProjectId: number; readonly allWriters: boolean },
): Promise<UserSlots> {
  const file = await readFile(join(configDir, 'users.xml'), 'utf8').catch(() => '');
  const { slots, writers } = slotsOf(file);
  const projects = Math.max(slotsFor(highestProjectId), slots);
  const all = Array.from({ length: allWriters ? projects : 0 }, (_, at) => at + 1);
  return { projects, writers: new Set([...writers, ...all]) };
}
