import { closeSync, readdirSync, readFileSync } from 'node:fs';

const CLOSE_ON_EXEC = 0o2000000;

/**
 * Closes the file descriptors that this process inherited, so that runs do not inherit them in turn. Node itself marks
 * only the first sixteen descriptors as close-on-exec, and those from a shell or a supervisor may have higher numbers.
 */
export function closeInherited(): void {
  for (const fd of descriptors()) {
    if (fd > 2 && isInherited(fd)) closeSync(fd);
  }
}

function descriptors(): number[] {
  try {
    return readdirSync('/proc/self/fd').map(Number);
  } catch {
    // This system does not list the descriptors of a process.
    return [];
  }
}

function isInherited(fd: number): boolean {
  try {
    const flags = readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8').match(/^flags:\s+(\d+)/m)?.[1] ?? '0';
    return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // This is the descriptor with which the folder was listed. It is already closed.
    return false;
  }
}
