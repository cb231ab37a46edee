/** Name of the global function that the runner calls before a run ends: it waits until everything is stored. */
const FLUSH = Symbol.for('trawl.flushRows');

type Flush = () => Promise<void> | undefined;

const flushes: Flush[] = [];

/** Makes the run wait for a function before it ends. It returns undefined if there is nothing to wait for. */
export function beforeEnd(flush: Flush): void {
  if (!flushes.includes(flush)) flushes.push(flush);
  (globalThis as { [FLUSH]?: Flush })[FLUSH] ??= () => {
    const work = flushes.map(each => each()).filter(promise => promise !== undefined);
    return work.length > 0 ? Promise.all(work).then(() => {}) : undefined;
  };
}
