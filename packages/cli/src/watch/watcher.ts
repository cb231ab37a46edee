import { join, relative, sep } from 'node:path';
import { watch } from 'chokidar';
import type { Context } from '../context.js';
import { explain } from '../explain.js';
import { localPart } from '../skript-folder/names.js';

const SETTLE_MS = 100;

/** Work that is repeated on each save. */
export interface Job {
  /** Ends the work before it would end by itself. */
  stop(): void;
  /** Resolves or rejects when the work has ended. */
  ended: Promise<void>;
  /** Absolute paths of the files whose changes repeat the job; null for all. It would repeat for ever for its own ones. */
  files: ReadonlySet<string> | null;
}

/**
 * Starts a job, and again after each change in a folder. A change stops the running job first. Resolves after Ctrl-C.
 */
export async function repeatOnChange(folder: string, start: () => Promise<Job>, { output }: Context): Promise<void> {
  const watcher = watch(folder, {
    ignored: (path, stats) => {
      const name = relative(folder, path).replaceAll(sep, '/');
      return name !== '' && localPart(stats?.isDirectory() ? `${name}/` : name) !== null;
    },
    ignoreInitial: true,
    awaitWriteFinish: { stabilityThreshold: SETTLE_MS, pollInterval: 20 },
  });
  let job: Job | undefined;
  let files: Job['files'] = null;
  let isOver = false;
  let changed = true;
  let wake = () => {};
  const end = () => {
    isOver = true;
    job?.stop();
    wake();
  };
  process.once('SIGINT', end).once('SIGTERM', end);
  watcher.on('all', (_event, path) => {
    if (files && !files.has(path)) return;
    output.note(`\nChanged: ${relative(folder, path)}`);
    changed = true;
    job?.stop();
    wake();
  });
  output.note(`Watching ${join(folder, sep)} for changes. Ctrl-C ends.`);
  while (!isOver) {
    if (!changed) {
      await new Promise<void>(resolve => {
        wake = resolve;
      });
      continue;
    }
    changed = false;
    try {
      job = await start();
      files = job.files;
      // A change or Ctrl-C while it started found no job to stop.
      if (changed || isOver) job.stop();
      await job.ended;
    } catch (error) {
      // Any save may repair a job that did not start.
      if (!job) files = null;
      if (!changed && !isOver) output.error(explain(error).text);
    }
    job = undefined;
    if (!changed && !isOver) output.note('Waiting for the next change.');
  }
  await watcher.close();
}
