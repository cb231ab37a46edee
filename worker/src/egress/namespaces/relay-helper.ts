import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { startHelper } from '../../process/helper-process.js';
import type { RelayAnswer, RelayedTarget, RelayTarget } from './relay-messages.js';

const RESTART_DELAY_MS = 1_000;

interface Running {
  child: ChildProcess;
  input: Socket;
  output: Socket;
  lines: Interface;
  ended: Promise<string>;
}

/** The worker's end of the relay's process. Starts the process when there is something to relay. */
export class RelayHelper {
  readonly #script: string;
  readonly #log: Logger;
  readonly #onLost: () => void;
  #running: Running | undefined;

  /**
   * @param script file with the code of the relay's process
   * @param onLost called when the process has died; the targets must be relayed again
   */
  constructor(script: URL, log: Logger, onLost: () => void) {
    this.#script = fileURLToPath(script);
    this.#log = log;
    this.#onLost = onLost;
  }

  /** Relays these targets, and no others. Call it again only after it has resolved. */
  async relay(host: string, targets: RelayTarget[]): Promise<RelayedTarget[]> {
    if (targets.length === 0 && !this.#running) return [];
    this.#running ??= this.#start();
    const { child, input, output, lines, ended } = this.#running;
    // Keep this process alive until the answer arrives.
    for (const handle of [child, output]) handle.ref();
    const answered = once(lines, 'line');
    input.write(`${JSON.stringify({ host, targets })}\n`);
    const failed = ended.then(reason => {
      throw new Error(`The relay to services of this machine is not available: ${reason}.`);
    });
    const [line] = await Promise.race([answered, failed]);
    for (const handle of [child, output]) handle.unref();
    const answer = JSON.parse(String(line)) as RelayAnswer;
    if ('failed' in answer) throw new Error(`The relay to services of this machine failed: ${answer.failed}.`);
    return answer.relayed;
  }

  async close(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    running?.child.ref();
    running?.input.end();
    await running?.ended;
  }

  #start(): Running {
    const { child, input, ended } = startHelper(process.execPath, [this.#script], {
      cwd: '/',
      env: {},
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const output = child.stdout as Socket;
    const running = { child, input, output, lines: createInterface({ input: output }), ended };
    for (const handle of [child, input, output]) handle.unref();
    void ended.then(reason => {
      if (this.#running !== running) return;
      this.#running = undefined;
      this.#log.error({ reason }, 'relay to services of this machine lost; restarting it');
      setTimeout(this.#onLost, RESTART_DELAY_MS).unref();
    });
    return running;
  }
}
