import type { MessagesPipe } from './messages-pipe.js';
import type { SkriptRun } from './skript-run.js';
import { thrownText } from './stack-text.js';

/** Makes what happens to the process as a whole the fault of the run that is on it. Once for each process. */
export function watchProcess(run: () => SkriptRun | undefined, messages: MessagesPipe, beforeEnd: () => void): void {
  const exit = process.exit.bind(process);
  process.exit = (code?: number | string | null): never => {
    const called = new Error(`process.exit(${code ?? ''}) was called`);
    beforeEnd();
    messages.send({ t: 'exiting', stack: thrownText(called).replace(/^Error: /, '') });
    return exit(code);
  };
  // A skript that listens itself has taken it into its own hands.
  process.on('uncaughtException', error => {
    if (process.listenerCount('uncaughtException') === 1) run()?.failThrown(error, 'Uncaught exception: ');
  });
  process.on('unhandledRejection', reason => {
    if (process.listenerCount('unhandledRejection') === 1) run()?.failThrown(reason, 'Unhandled rejection: ');
  });
  process.on('exit', () => messages.flush());
  process.on('beforeExit', () => run()?.neverSettled());
}
