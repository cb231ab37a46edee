import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ApiError } from '../../../../platform/common/errors.js';
import type { BuildAnswer, BuildOrder, BuildUser, BundleRequest, BundleResult } from './bundle-build.js';

/**
 * Always the compiled file in `dist`: tests load this class from its TypeScript source, which Node cannot run as a
 * child process.
 */
const PROGRAM = fileURLToPath(
  new URL('../../../../../dist/runs/skripts/bundles/build-host/build-host-process.js', import.meta.url),
);

interface Waiting {
  resolve: (result: BundleResult | null) => void;
  reject: (error: Error) => void;
}

/**
 * Starts the processes of builds from a small process beside the backend. While Node starts a process, its event loop
 * does nothing else until the process has a processor: 40 ms for a large process such as the backend, and up to a second
 * on a busy machine.
 * See docs/decisions/0425-builds-start-from-a-host.md.
 */
export class BuildHost {
  #process: ChildProcess | undefined;
  #lastId = 0;
  readonly #waiting = new Map<number, Waiting>();

  /**
   * Runs a build. Returns null if the process of the build died.
   * @throws {Error} with the code of the system if the process could not be started. {ApiError} 503 when the host ended.
   */
  build(request: BundleRequest, user: BuildUser): Promise<BundleResult | null> {
    this.#process ??= this.#start();
    const host = this.#process;
    return new Promise((resolve, reject) => {
      this.#lastId += 1;
      const order: BuildOrder = { id: this.#lastId, request, user };
      this.#waiting.set(order.id, { resolve, reject });
      host.send(order, () => {}); // If it cannot be sent, the host has ended, and `#ended` rejects the promise.
    });
  }

  /** Ends the host and the running builds, which fail with 503. */
  close(): void {
    if (this.#process?.connected) this.#process.disconnect();
  }

  #start(): ChildProcess {
    // Its own process group, so that Ctrl-C in a terminal does not end it before the backend.
    const options = { env: {}, cwd: '/', detached: true, serialization: 'advanced' } as const;
    const host = fork(PROGRAM, { ...options, execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    host.on('message', (answer: BuildAnswer) => this.#answered(answer));
    host.on('error', () => this.#ended(host)); // It could not be started.
    host.on('exit', () => this.#ended(host));
    return host;
  }

  #answered(answer: BuildAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if ('result' in answer) waiting?.resolve(answer.result);
    else waiting?.reject(Object.assign(new Error(answer.failure.message), { code: answer.failure.code }));
  }

  #ended(host: ChildProcess): void {
    if (this.#process !== host) return;
    this.#process = undefined;
    const all = [...this.#waiting.values()];
    this.#waiting.clear();
    const text = 'The process that builds bundles ended. Try again in a few seconds.';
    for (const { reject } of all) reject(new ApiError('service_unavailable', text));
  }
}
