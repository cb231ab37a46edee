import { hostileSkripts } from './hostile-skript.js';
import { HostileWorker } from './hostile-worker.js';

// Whether the worker can have a full sandbox here. Without one, some of the skripts would harm the machine.
const canBeFull = process.platform === 'linux' && process.getuid?.() === 0;

/**
 * Creates a test for each skript in a folder that is next to this file. All of them use one worker with these settings.
 */
export function testHostileSkripts(folder: string, settings: Record<string, string> = {}): void {
  // A long timeout, because the machine may be busy. None of these tests measures time.
  (canBeFull ? describe : describe.skip)(
    'each ends as its header says, harms nothing, and a plain run succeeds',
    () => {
      const worker = new HostileWorker();
      beforeAll(() => worker.open(settings));
      afterAll(() => worker.close());

      test.each(hostileSkripts(folder).map(skript => [skript.path, skript] as const))('%s', (_path, skript) =>
        worker.expectHarmless(skript),
      );

      test('a run next to all of them is undisturbed', () => worker.expectNeighbourIntact());
    },
  );
}
