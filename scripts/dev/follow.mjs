// @ts-check
import { watch } from 'node:fs';
import { sep } from 'node:path';
import { explain } from '../common/problem.mjs';
import { errorLine } from '../common/terminal.mjs';

/** The compiler writes many files. `changed` is called once, when no file has changed for this long. */
const SETTLED_AFTER_MS = 300;

/**
 * Calls `changed` when .js files below these folders have changed, one call at a time. If a call fails, its error is
 * shown, and the next change leads to another call.
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

/**
 * @param {string} file path below the folder. Files in `runtime` do not count, because `changed` itself makes them from
 *   the other files.
 */
const isProgram = file => file.endsWith('.js') && !file.startsWith(`runtime${sep}`);
