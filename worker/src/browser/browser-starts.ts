import { statSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Executor } from '../executor/executor.js';
import type { StartCommand } from '../pipe-messages.js';
import { PooledProcess } from '../pooled-process.js';
import type { Chromium } from './find-chromium.js';

const START_MS = 30_000;
const OUTPUT_BYTES = 1_024;

const SKRIPT = `module.exports = async () => {
  const browser = await require('puppeteer').launch();
  return browser.version();
};`;

/**
 * Whether runs can have this Chromium, found by a run that starts it in the sandbox that all runs have. What was found is
 * kept in the worker's folder, until either changes.
 */
export async function browserStarts(
  executor: Executor,
  chromium: Chromium,
  folder: string,
  log: Logger,
): Promise<boolean> {
  const { executable } = chromium;
  const file = join(folder, 'browser-started');
  const tried = JSON.stringify([executable, statSync(executable).mtimeMs, executor.level, executor.layers]);
  if ((await readFile(file, 'utf8').catch(() => '')) === tried) return true;
  try {
    const version = await started(executor);
    log.info({ chromium: executable, version }, 'runs can have a browser');
    await writeFile(file, tried, { mode: 0o600 });
    return true;
  } catch (error) {
    log.warn(
      { chromium: executable, reason: error instanceof Error ? error.message : String(error) },
      'Chromium does not start here: skripts of the environment browser are not run by this worker; CHROME_PATH may name another Chromium or Chrome',
    );
    return false;
  }
}

async function started(executor: Executor): Promise<string> {
  const trial = new PooledProcess(0, 'browser', await executor.start(0, 'browser'));
  const { process: run } = trial;
  try {
    await trial.parked();
    const start: StartCommand = {
      t: 'start',
      run: 1,
      warm: false,
      code: SKRIPT,
      input: null,
      input_secret: null,
      execution_id: 'browser-starts',
      skript: { id: '', title: '' },
      worker: { id: '', name: '' },
      output_bytes: OUTPUT_BYTES,
      folder: run.folder,
      libraries: null,
    };
    const told = outcomeOf(trial);
    run.begin();
    run.commands.write(`${JSON.stringify(start)}\n`);
    return await told;
  } finally {
    await run.kill();
  }
}

function outcomeOf(trial: PooledProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = '';
    const fail = (reason: string) => {
      clearTimeout(timer);
      reject(new Error(`${reason} ${printed}`.trim()));
    };
    const timer = setTimeout(() => fail(`It did not start within ${START_MS} ms.`), START_MS);
    trial.pipes.listen({
      message: line => {
        const message = JSON.parse(line);
        if (message.t === 'failed') fail(message.stack);
        if (message.t !== 'settled') return;
        clearTimeout(timer);
        resolve(JSON.parse(message.output));
      },
      printed: (_type, text) => {
        printed = `${printed} ${text}`.slice(-2_000);
      },
      pace: () => undefined,
      ended: ({ code, signal }) => void trial.pipes.allRead().then(() => fail(`The run ended with ${signal ?? code}.`)),
      limitReached: ({ text }) => fail(text),
    });
  });
}
