/** A disk of its own that a test can fill: a small tmpfs, which takes root on Linux. */
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Missing } from './trial.ts';

export interface SmallDisk {
  readonly dir: string;
  /** To the last byte, or until only so many are left. */
  fill(leave?: number): void;
  /** Gives back what `fill` took. */
  free(): void;
  remove(): Promise<void>;
}

/** Why there can be none here; null when there can. */
export function whyNoSmallDisk(): Missing | null {
  const what = 'a small disk of its own';
  if (process.platform !== 'linux') return { what: `${what}, which takes Linux`, mayBe: true };
  if (process.getuid?.() !== 0) return { what: `${what}, which takes root`, mayBe: true };
  const dir = execFileSync('mktemp', ['-d'], { encoding: 'utf8' }).trim();
  try {
    mount(dir, 1);
    execFileSync('umount', [dir]);
    return null;
  } catch (error) {
    const said = String(error);
    // A container without the right to mount has no other way to a disk that is full.
    const mayBe = /permission denied|not permitted|must be superuser/i.test(said);
    return { what: `${what}, which takes the right to mount one: ${said}`, mayBe };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function mount(dir: string, megabytes: number): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'tmpfs', dir], {
    stdio: 'pipe',
  });
}

export async function openSmallDisk(megabytes: number): Promise<SmallDisk> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'querydock-disk-'));
  mount(dir, megabytes);
  const filler = path.join(dir, 'filler');
  return {
    dir,
    fill(leave = 0) {
      const file = openSync(filler, 'a');
      for (const size of [1_048_576, 4096, 1]) writeUntilFull(file, Buffer.alloc(size));
      closeSync(file);
      if (leave > 0) truncateSync(filler, statSync(filler).size - leave);
    },
    free: () => rmSync(filler, { force: true }),
    async remove() {
      execFileSync('umount', ['-l', dir]);
      await rm(dir, { recursive: true, force: true });
    },
  };
}

function writeUntilFull(file: number, piece: Buffer): void {
  try {
    for (;;) if (writeSync(file, piece) < piece.length) return;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  }
}
