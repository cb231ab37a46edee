import { hostileSkripts } from './hostile-skript.js';
import { HostileWorker } from './hostile-worker.js';

/** A plain run follows each of so many skripts. */
const PLAIN_EVERY = isFullTest ? 1 : 5;

// Whether the worker can have a full sandbox here. Without one, some of the skripts would harm the machine.
const canBeFull = process.platform === 'linux' && process.getuid?.() === 0;

/**
 * Creates a test for each skript in folders that are next to this file. All of them use one worker with these settings.
 */
export function testHostileSkripts(folders: string[], settings: Record<string, string> = {}): void {
  // A long timeout, because the machine may be busy. None of these tests measures time.
  (canBeFull ? describe : describe.skip)(
    'each ends as its header says and harms nothing, and plain runs succeed',
    () => {
      const worker = new HostileWorker();
      beforeAll(() => worker.open(settings));
      afterAll(() => worker.close());

      const skripts = folders.flatMap(hostileSkripts);
      test.each(skripts.map((skript, index) => [skript.path, skript, index] as const))(
        '%s',
        async (_path, skript, index) => {
          await worker.expectHarmless(skript);
          if (index % PLAIN_EVERY === 0) await worker.expectPlainRun();
        },
      );

      test('a run next to all of them is undisturbed, and a plain run after them succeeds', async () => {
        await worker.expectNeighbourIntact();
        await worker.expectPlainRun();
      });
    },
  );
}
