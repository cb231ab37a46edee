import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Mounts a small disk on a folder, or changes its size with `remount`. Returns whether this worked. */
export const mountDisk = (folder: string, options: string): boolean =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]).status === 0;

export const unmountDisk = (folder: string): boolean => spawnSync('umount', [folder]).status === 0;

/** Returns whether the tests have the right to mount a disk. */
export function mayMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'trawl-may-mount-'));
  try {
    return mountDisk(folder, 'size=64k') && unmountDisk(folder);
  } finally {
    rmdirSync(folder);
  }
}
