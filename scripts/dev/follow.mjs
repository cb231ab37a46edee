// @ts-check
import { watch } from 'node:fs';
import { sep } from 'node:path';
import { explain } from '../start/problem.mjs';
import { errorLine } from '../start/terminal.mjs';

/** The compiler writes many files; what they are for is done once, when there was no further one for so long. */
const SETTLED_AFTER_MS = 300;

/**
 * Calls `changed` whenever programs below these folders have changed, one call after the other. One that fails is
 * shown, and the next change calls it again.
 * @param {string[]} folders absolute
 * @param {() => Promise<void>} changed
 * @returns {{ stop(): Promise<void> }}
 */
export function follow(folders, changed) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  let isStopped = false;
  let calls = Promise.resolve();
  const call = () => {
    calls = calls.then(changed).catch(error => {
      if (!isStopped) errorLine(explain(error));
    });
  };
  const watchers = folders.map(folder =>
    watch(folder, { recursive: true }, (_, file) => {
      if (!file || !isProgram(file)) return;
      clearTimeout(timer);
      timer = setTimeout(call, SETTLED_AFTER_MS);
    }),
  );
  return {
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
      await calls;
    },
  };
}

/** @param {string} file below the folder; what is in `runtime` is made of the rest, by the very one who is called */
const isProgram = file => file.endsWith('.js') && !file.startsWith(`runtime${sep}`);
