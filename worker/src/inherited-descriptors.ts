import { closeSync, readdirSync, readFileSync } from 'node:fs';

const CLOSE_ON_EXEC = 0o2000000;

/**
 * Closes what whoever started this process left open: child processes would inherit it, and so would runs. Node keeps the
 * first sixteen descriptors from them, not those of a shell or a supervisor, which have higher numbers.
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
    // A system that does not show them.
    return [];
  }
}

function isInherited(fd: number): boolean {
  try {
    const flags = readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8').match(/^flags:\s+(\d+)/m)?.[1] ?? '0';
    return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // That of the list itself, which is closed by now.
    return false;
  }
}
