import type { Environment } from '@trawl/contracts';
import type { ProcessEnd, RunProcess } from './executor/executor.js';
import { ProcessPipes } from './process-pipes.js';

/** Loading takes a twentieth of a second, and with a browser a second; whatever takes so long does not come any more. */
const LOADING_MS = 30_000;
const MAX_SAID_CHARS = 500;
/** A hundred times what ending a Chromium with all its children takes. */
const KILL_MS = 10_000;

/** A process of the pool, from its start to its end: parked, then on a run, and maybe kept between runs. */
export class PooledProcess {
  readonly place: number;
  readonly environment: Environment;
  readonly process: RunProcess;
  readonly pipes: ProcessPipes;
  /** So many runs it has had, the one that is on it included. */
  runs = 0;
  /** What a run must have in common with those before to get this process. */
  key: string | null = null;
  /** Why it can be given to no run any more. */
  spoilt: string | null = null;
  /** Whether it was told to load what most runs use. */
  isPrepared = false;
  #rest: NodeJS.Timeout | undefined;
  #standing: Promise<void> | undefined;

  constructor(place: number, environment: Environment, process: RunProcess) {
    this.place = place;
    this.environment = environment;
    this.process = process;
    this.pipes = new ProcessPipes(process);
    void process.ended.then(end => {
      this.spoilt ??= endText(end);
    });
    void process.limitReached.then(({ text }) => {
      this.spoilt ??= text;
    });
  }

  prepare(): void {
    this.isPrepared = true;
    this.process.commands.write('{"t":"prepare"}\n');
  }

  /**
   * No run has it now: what the last one left going on stands still in so many milliseconds, until it is woken.
   *
   * @param failed told when it cannot be brought to a stand
   */
  rest(ms: number, failed: () => void): void {
    this.#rest = setTimeout(() => {
      this.#standing = this.process.freeze();
      this.#standing.catch(failed);
    }, ms).unref();
  }

  /** For the next run. */
  async wake(): Promise<void> {
    clearTimeout(this.#rest);
    if (!this.#standing) return;
    await this.#standing.catch(() => {}); // then it stands not, and goes on
    this.#standing = undefined;
    await this.process.thaw();
  }

  /**
   * Ends it and all that it started.
   *
   * @throws Error when that cannot be done, or is not done in time: what is stuck in the kernel, on a disk that does not
   *   answer, cannot be killed.
   */
  async kill(): Promise<void> {
    clearTimeout(this.#rest);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const stuck = () =>
        reject(new Error(`Process ${this.process.mark.pid} is still there ${KILL_MS / 1_000} s after it was killed.`));
      timer = setTimeout(stuck, KILL_MS);
    });
    try {
      await Promise.race([this.process.kill(), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Resolves when it is loaded and waits for its first run.
   *
   * @throws Error when it ends before, or does not get so far.
   */
  async parked(): Promise<void> {
    let said = '';
    let timer: NodeJS.Timeout | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        const fail = (what: string) => reject(new Error(`The process for a run ${what} while it was loaded.${said}`));
        timer = setTimeout(() => fail(`said nothing for ${LOADING_MS / 1_000} s`), LOADING_MS);
        this.pipes.listen({
          // No code of a user's has run in it yet: it is the runner that speaks.
          message: line => line.includes('"t":"parked"') && resolve(),
          printed: (_type, text) => {
            said = `${said} ${text}`.slice(0, MAX_SAID_CHARS);
          },
          pace: () => undefined,
          ended: end => void this.pipes.allRead().then(() => fail(endText(end))),
          limitReached: ({ text }) => reject(new Error(text)),
        });
      });
    } finally {
      clearTimeout(timer);
      this.pipes.listen(undefined);
    }
  }
}

const endText = ({ code, signal }: ProcessEnd): string =>
  signal ? `was killed by ${signal}` : `ended with exit code ${code}`;
