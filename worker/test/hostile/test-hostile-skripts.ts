import { hostileSkripts } from './hostile-skript.js';
import { HostileWorker } from './hostile-worker.js';

// Elsewhere there is no full sandbox, and some of the skripts would harm the machine.
const canBeFull = process.platform === 'linux' && process.getuid?.() === 0;

/** A test for each skript in a folder beside this file, on one worker with these settings. */
export function testHostileSkripts(folder: string, settings: Record<string, string> = {}): void {
  // A machine under load takes its time; no test here is about how long something takes.
  jest.setTimeout(150_000);

  (canBeFull ? describe : describe.skip)(
    'each ends as its header says, harms nothing, and a plain run succeeds',
    () => {
      const worker = new HostileWorker();
      beforeAll(() => worker.open(settings));
      afterAll(() => worker.close());

      test.each(hostileSkripts(folder).map(skript => [skript.path, skript] as const))('%s', (_path, skript) =>
        worker.expectHarmless(skript),
      );

      test('a run beside all of them was not disturbed', () => worker.expectNeighbourIntact());
    },
  );
}
