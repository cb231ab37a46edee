import type { Environment } from '@trawl/contracts';
import { exitText } from '../../process/exit-text.js';
import { ProcessPipes } from '../../process/process-pipes.js';
import type { RunProcess } from '../../process/run-process.js';
import type { StartCommand } from '../../protocol/pipe-messages.js';
import type { Executor } from '../port/executor.js';

const OUTPUT_BYTES = 10_000;
const MAX_PRINTED_CHARS = 2_000;

export interface Probe {
  environment: Environment;
  /** CommonJS code of a skript. */
  code: string;
  timeoutMs: number;
}

/**
 * Runs a skript that belongs to the worker in slot 0, in the same kind of process as a user's run, and returns its
 * output.
 *
 * @throws Error with the reason when the process does not start or the skript fails
 */
export async function runProbe(executor: Executor, { environment, code, timeoutMs }: Probe): Promise<unknown> {
  const process = await executor.start(0, environment);
  try {
    const pipes = new ProcessPipes(process);
    await pipes.parked();
    const output = outputOf(pipes, timeoutMs);
    process.begin();
    process.commands.write(`${JSON.stringify(startCommand(code, process))}\n`);
    return JSON.parse(await output);
  } finally {
    await process.kill();
    await executor.clear(0);
  }
}

const startCommand = (code: string, { folder }: RunProcess): StartCommand => ({
  t: 'start',
  run: 1,
  warm: false,
  code,
  files: [],
  input: null,
  input_secret: null,
  execution_id: 'probe',
  skript: { id: '', title: '' },
  worker: { id: '', name: '' },
  output_bytes: OUTPUT_BYTES,
  keeps_exchanges: false,
  row_key: null,
  retry_of: null,
  folder,
  libraries: null,
});

function outputOf(pipes: ProcessPipes, timeoutMs: number): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const output = new Promise<string>((resolve, reject) => {
    let printed = '';
    const fail = (reason: string) => reject(new Error(`${reason} ${printed}`.trim()));
    timer = setTimeout(() => fail(`The probe did not answer within ${timeoutMs / 1_000} s.`), timeoutMs);
    pipes.listen({
      message: line => {
        const message = JSON.parse(line);
        if (message.t === 'settled') resolve(message.output);
        else if (message.t === 'failed') fail(message.stack);
      },
      printed: (_type, text) => {
        printed = `${printed} ${text}`.slice(-MAX_PRINTED_CHARS);
      },
      pace: () => undefined,
      ended: end => void pipes.allRead().then(() => fail(`The process of the probe ${exitText(end)}.`)),
      limitReached: ({ text }) => fail(text),
    });
  });
  return output.finally(() => clearTimeout(timer));
}
