import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const TRACING = '/sys/kernel/tracing';

/** Notes the programs that this process and its descendants execute, with Linux's tracepoint `sched_process_exec`. */
export class ExecCounter {
  readonly #folder = join(TRACING, 'instances', `trawl-test-${process.pid}`);

  private constructor(private readonly hasMounted: boolean) {
    mkdirSync(this.#folder);
    // The kernel traces these threads, and by this option each process that they start.
    writeFileSync(join(this.#folder, 'options/event-fork'), '1');
    writeFileSync(join(this.#folder, 'set_event_pid'), threadsOf(process.pid).join(' '));
    writeFileSync(join(this.#folder, 'events/sched/sched_process_exec/enable'), '1');
  }

  /** Returns null if the kernel or the user's permissions do not allow tracing. */
  static open(): ExecCounter | null {
    try {
      const isMounted = existsSync(join(TRACING, 'instances'));
      if (!isMounted) execFileSync('mount', ['-t', 'tracefs', 'none', TRACING]);
      return new ExecCounter(!isMounted);
    } catch {
      return null;
    }
  }

  /** Paths of the executed programs since the last `clear`, in their order. */
  executed(): string[] {
    const trace = readFileSync(join(this.#folder, 'trace'), 'utf8');
    return [...trace.matchAll(/sched_process_exec: filename=(\S+)/g)].map(([, path]) => path as string);
  }

  clear(): void {
    writeFileSync(join(this.#folder, 'trace'), '');
  }

  close(): void {
    writeFileSync(join(this.#folder, 'events/sched/sched_process_exec/enable'), '0');
    rmdirSync(this.#folder);
    if (this.hasMounted) execFileSync('umount', [TRACING]);
  }
}

/** Returns the ids of all threads of a process and its descendants. */
function threadsOf(pid: number): number[] {
  const own = readdirSync(`/proc/${pid}/task`).map(Number);
  const children = own.flatMap(thread =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  return [...own, ...children.flatMap(threadsOf)];
}
