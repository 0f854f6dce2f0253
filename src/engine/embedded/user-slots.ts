/**
 * Which project users the local engine has. It reads them from a file at startup, and each adds to the startup time.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { slotsOf } from './config-files.ts';

export interface UserSlots {
  /** Projects 1..projects have a reader. */
  projects: number;
  /** Projects that have a writer, besides the first ones. */
  readonly writers: Set<number>;
}

const MIN_SLOTS = 64;
const SPARE_SLOTS = 32;
/** Writers of this many projects cost no noticeable time. */
const FIRST_WRITERS = 64;

export function slotsFor(projectId: number): number {
  return Math.max(MIN_SLOTS, projectId + SPARE_SLOTS);
}

export function hasWriter({ writers }: UserSlots, projectId: number): boolean {
  return projectId <= FIRST_WRITERS || writers.has(projectId);
}

/** @param writes whether the project also needs its writer. */
export function hasUsers(slots: UserSlots, projectId: number, writes: boolean): boolean {
  return projectId <= slots.projects && (!writes || hasWriter(slots, projectId));
}

/** Restores those of the previous start, so that the engine does not have to restart to add them again. */
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
