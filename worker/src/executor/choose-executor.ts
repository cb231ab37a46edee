import { access, constants } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { Chromium } from '../browser/find-chromium.js';
import type { Executor } from './executor.js';
import { ProcessExecutor } from './process-executor.js';
import type { UserBlock } from './user-block.js';

const PROBE_MS = 10_000;
const SETPRIV_PATHS = ['/usr/bin/setpriv', '/bin/setpriv', '/usr/local/bin/setpriv'];

/**
 * The strongest executor that works on this machine, found by trying: a user id of its own is of no use when that user
 * cannot reach Node, the runtime or the folders of runs.
 */
export async function chooseExecutor(
  runner: string,
  folders: string,
  libraries: string,
  users: UserBlock | null,
  chromium: Chromium | null,
  log: Logger,
): Promise<Executor> {
  const setpriv = process.platform === 'linux' ? await findSetpriv() : null;
  const candidates = [
    ...(users ? [{ runner, folders, libraries, users, chromium, setpriv }] : []),
    { runner, folders, libraries, users: null, chromium, setpriv },
    { runner, folders, libraries, users: null, chromium, setpriv: null },
  ];
  for (const options of candidates) {
    const executor = new ProcessExecutor(options);
    const problem = await probe(executor);
    if (problem === null) {
      log.info(
        { sandbox: executor.level, own_user: options.users !== null, setpriv: options.setpriv !== null },
        'runs are made',
      );
      return executor;
    }
    log.warn(
      { own_user: options.users !== null, setpriv: options.setpriv !== null, reason: problem },
      'runs cannot be made so',
    );
  }
  throw new Error(
    `No process for a run can be started on this machine: see the reasons above. Their folders are in ${folders}.`,
  );
}

/** Starts a process that has nothing to do and sees whether the runner answers. Null when it does. */
async function probe(executor: Executor): Promise<string | null> {
  try {
    const run = await executor.start(0, 'nodejs');
    const answer = new Promise<string | null>(resolve => {
      let said = '';
      run.stderr.on('data', bytes => {
        said = `${said}${bytes}`.slice(0, 2_000);
      });
      run.messages.once('data', () => resolve(null));
      run.ended.then(({ code, signal }) => resolve(`it ended with ${signal ?? code} ${said}`.trim()));
      setTimeout(() => resolve('it did not answer'), PROBE_MS).unref();
    });
    run.commands.write('{"t":"place"}\n');
    const problem = await answer;
    await run.kill();
    return problem;
  } catch (error) {
    return String(error);
  }
}

async function findSetpriv(): Promise<string | null> {
  for (const path of SETPRIV_PATHS) {
    const found = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return path;
  }
  return null;
}
