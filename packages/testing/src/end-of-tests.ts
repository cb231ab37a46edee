import { after } from 'node:test';

/** How long the `after` hooks of a file may take while something is open. */
const MAX_HOOKS_MS = 30_000;
const LOOK_MS = 100;

/**
 * Ends this process when the tests of its file have ended, also if the skript has left a timer or a browser open. Node's
 * `--test-force-exit` does not wait until all results are written, so that some are lost.
 */
export function endAfterTests(): void {
  let late: NodeJS.Timeout;
  after(() => {
    late = setTimeout(() => {
      const seconds = MAX_HOOKS_MS / 1_000;
      process.stderr.write(`An after hook of this file failed, or took more than ${seconds} seconds.\n`);
      process.exit(1);
    }, MAX_HOOKS_MS).unref();
  });
  // Hooks run in the order in which they were added. This one follows those of the file, unless one of them fails.
  process.nextTick(() =>
    after(() => {
      clearTimeout(late);
      let looks = 0;
      setInterval(() => {
        looks = process.stdout.writableLength === 0 ? looks + 1 : 0;
        if (looks > 1) process.exit();
      }, LOOK_MS).unref();
    }),
  );
}
