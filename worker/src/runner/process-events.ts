import type { MessagesPipe } from './messages-pipe.js';
import type { SkriptRun } from './skript-run.js';
import { thrownText } from './stack/stack-text.js';

/** Reports exits and unhandled errors of the process as errors of its current run. Call it once for each process. */
export function reportProcessEvents(
  run: () => SkriptRun | undefined,
  messages: MessagesPipe,
  beforeEnd: () => void,
): void {
  const exit = process.exit.bind(process);
  process.exit = (code?: number | string | null): never => {
    const called = new Error(`process.exit(${code ?? ''}) was called`);
    beforeEnd();
    messages.send({ t: 'exiting', stack: thrownText(called).replace(/^Error: /, '') });
    return exit(code);
  };
  // Do not report these errors if the skript has its own listener for them.
  process.on('uncaughtException', error => {
    if (process.listenerCount('uncaughtException') === 1) run()?.failThrown(error, 'Uncaught exception: ');
  });
  process.on('unhandledRejection', reason => {
    if (process.listenerCount('unhandledRejection') === 1) run()?.failThrown(reason, 'Unhandled rejection: ');
  });
  process.on('exit', () => messages.flush());
  process.on('beforeExit', () => run()?.neverSettled());
}
