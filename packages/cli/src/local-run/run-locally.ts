import { type ChildProcess, spawn } from 'node:child_process';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { Echo } from '@trawl/client';
import { LIMITS, PipeLines, pipeLine, type Question, questionMessage } from '@trawl/contracts';
import { type LocalPort, localPortIn } from '@trawl/storage/local';
import { LocalPostgres } from '@trawl/storage/local-postgres';
import { EXIT } from '../exit-codes.js';
import { Failure } from '../failure.js';
import type { TerminalQuestions } from '../questions/terminal-questions.js';
import { isInteractive } from '../terminal/ask.js';
import { findChrome } from './find-chrome.js';
import { guardGroup } from './guard.js';
import { linkLibraries, RUNTIME, type RunLibraries } from './libraries.js';

/** Descriptors of the pipes to and from the runner (worker/src/protocol/pipe-messages.ts). */
const COMMANDS_FD = 3;
const MESSAGES_FD = 4;
const IS_WINDOWS = process.platform === 'win32';
/** How long a skript has to end after it was told to stop, as on the platform. */
const STOP_MS = 2_000;
/** As on the platform, the run continues. An older skript may answer its own question. */
const NO_TERMINAL =
  'This is not a terminal, so you cannot answer the question. The run continues, and the question fails at its timeout.';
/** Variables that a run inherits. Others stay away from it, because on the platform it has none and some are secret. */
const INHERITED =
  /^(PATH|HOME|USERPROFILE|TMPDIR|TEMP|TMP|LANG|TZ|SYSTEMROOT|DISPLAY|NODE_EXTRA_CA_CERTS|(HTTPS?|NO)_PROXY)$/i;

export interface LocalRunOptions {
  folder: string;
  title: string;
  environment: string;
  /** The bundle: CommonJS code with an inline source map. */
  code: string;
  /** JSON text; null for none. */
  input: string | null;
  inputSecret: string | null;
  onEcho(echo: Omit<Echo, 'seq'>): void;
  /** Asks the questions of the skript. */
  questions: TerminalQuestions;
}

export interface LocalOutcome {
  action: 'end' | 'error' | 'stop';
  output: unknown;
  error_code: string | null;
  error_stack: string | null;
}

type StorageRequest = Parameters<LocalPort['port']>[0];
type PostgresRequest = Parameters<LocalPostgres['port']>[0];

type AskMessage = { t: 'question'; call: number } & Question;

/** A message of the runner. Those of other types are not for us. */
type Message =
  | { t: 'echoes'; items: [type: Echo['type'], msg: string, time: string][] }
  | { t: 'storage'; call: number; op: Omit<StorageRequest, 'args'> }
  | { t: 'postgres'; call: number; op: PostgresRequest }
  | AskMessage
  | { t: 'question_over'; call: number }
  | { t: 'settled'; output: string }
  | { t: 'failed'; code: string; stack: string }
  | { t: 'exiting'; stack: string };

/** A run of a skript on this computer, in the worker's own runner but without a sandbox. */
export class LocalRun {
  /** Resolves when the process has ended. */
  readonly ended: Promise<LocalOutcome>;
  readonly #child: ChildProcess;
  readonly #storage: LocalPort;
  readonly #postgres = new LocalPostgres();
  #isStopped = false;

  private constructor(options: LocalRunOptions, chrome: string | null, libraries: RunLibraries) {
    this.#child = spawn(process.execPath, ['--preserve-symlinks', join(RUNTIME, 'runner.cjs')], {
      cwd: options.folder,
      env: { ...inherited(), ...(chrome ? { CHROME_PATH: chrome } : {}) },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
      // In a process group of its own, Ctrl-C reaches only this program, which tells the skript to stop.
      detached: !IS_WINDOWS,
      windowsHide: true,
    });
    const { pid } = this.#child;
    const guard = IS_WINDOWS || pid === undefined ? null : guardGroup(pid);
    this.#storage = localPortIn(resolve(process.env.TRAWL_STORAGE_DIR || join(options.folder, '.trawl', 'storage')));
    this.ended = this.#outcome(options).finally(() => {
      options.questions.closeAll();
      this.#kill();
      guard?.kill('SIGKILL');
      this.#storage.close();
      this.#postgres.close();
      return libraries.remove();
    });
    this.#send({
      t: 'start',
      run: 1,
      warm: false,
      code: options.code,
      input: options.input,
      input_secret: options.inputSecret,
      execution_id: 'local',
      skript: { id: 'local', title: options.title },
      worker: { id: 'local', name: hostname() },
      output_bytes: LIMITS.outputBytes,
      folder: options.folder,
      libraries: libraries.path,
      // The folder of the run is that of the skript, so its files are there.
      files: [],
    });
  }

  static async start(options: LocalRunOptions): Promise<LocalRun> {
    const chrome = options.environment === 'browser' ? await findChrome() : null;
    if (options.environment === 'browser' && chrome === null) {
      throw new Failure(
        'The skript needs a browser, but none was found. Set CHROME_PATH to the path of Chrome or Chromium.',
      );
    }
    if (options.environment === 'python') {
      throw new Failure('The environment of the skript is python, which is not available yet.', EXIT.usage);
    }
    return new LocalRun(options, chrome, await linkLibraries(options.folder));
  }

  /** Tells the skript to stop, and ends it after two seconds. */
  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#send({ t: 'stop' });
    const kill = setTimeout(() => this.#kill(), STOP_MS);
    void this.ended.finally(() => clearTimeout(kill));
  }

  /** Ends the process of the run and those that it has started, such as a browser. */
  #kill(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(IS_WINDOWS ? pid : -pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // they have ended
    }
  }

  async #answer(call: number, request: StorageRequest): Promise<void> {
    const answer = await this.#storage.port(request);
    if ('error' in answer) this.#send({ t: 'storage', call, error: answer.error });
    else this.#send({ t: 'storage', call, error: null }, answer.result);
  }

  async #answerPostgres(call: number, op: PostgresRequest): Promise<void> {
    this.#send({ t: 'postgres', call, answer: await this.#postgres.port(op) });
  }

  #ask({ onEcho, questions }: LocalRunOptions, { call, text, choices }: AskMessage): void {
    const question = { text: String(text), choices: (Array.isArray(choices) ? choices : []).map(String) };
    onEcho({ type: 'question', msg: questionMessage(question), time: now() });
    if (!isInteractive()) onEcho({ type: 'warn', msg: NO_TERMINAL, time: now() });
    const isOpen = async () => true;
    questions.add({ id: call, ...question, isOpen, answer: async answer => this.#send({ t: 'answer', call, answer }) });
  }

  #send(command: object, data?: Uint8Array): void {
    const pipe = this.#child.stdio[COMMANDS_FD] as Writable;
    // The process may end while this writes. `ended` reports how.
    if (pipe.listenerCount('error') === 0) pipe.on('error', () => {});
    pipe.write(pipeLine(command, data));
  }

  async #outcome(options: LocalRunOptions): Promise<LocalOutcome> {
    const { onEcho, questions } = options;
    let outcome: LocalOutcome | undefined;
    let exitStack = '';
    for (const stream of [this.#child.stdout, this.#child.stderr] as Readable[]) {
      // The runner turns what JavaScript writes into echoes. Only programs that the skript starts write here.
      stream.on('data', (bytes: Buffer) => onEcho({ type: 'log', msg: bytes.toString().trimEnd(), time: now() }));
    }
    const lines = new PipeLines((line, data) => {
      const message = messageOf(line);
      if (message.t === 'echoes') for (const [type, msg, time] of message.items) onEcho({ type, msg, time });
      else if (message.t === 'storage' && data) void this.#answer(message.call, { ...message.op, args: data });
      else if (message.t === 'postgres') void this.#answerPostgres(message.call, message.op);
      else if (message.t === 'question') this.#ask(options, message);
      else if (message.t === 'question_over') questions.close(message.call);
      else if (message.t === 'settled') outcome = { ...ended, output: JSON.parse(message.output) };
      else if (message.t === 'failed') outcome = failed(message.code, message.stack);
      else if (message.t === 'exiting') exitStack = message.stack;
    });
    const messages = this.#child.stdio[MESSAGES_FD] as Readable;
    messages.on('data', (bytes: Buffer) => lines.push(bytes));
    const [, [code, signal]] = await Promise.all([once(messages, 'close'), once(this.#child, 'exit')]);
    if (this.#isStopped && outcome?.action !== 'end') return { ...ended, action: 'stop' };
    const how = signal ? `was ended by the signal ${signal}` : `exited with code ${code}`;
    const text = `The process of the run ${how} before main.js returned.${exitStack && `\n${exitStack}`}`;
    return outcome ?? failed('process_ended', text);
  }
}

/** Parses a line of the runner. A skript can write to the same pipe, so the line may be anything. */
function messageOf(line: string): Message | { t: 'unknown' } {
  try {
    return JSON.parse(line) ?? { t: 'unknown' };
  } catch {
    return { t: 'unknown' };
  }
}

const ended = { action: 'end', output: null, error_code: null, error_stack: null } as const;

const failed = (error_code: string, error_stack: string) =>
  ({ action: 'error', output: null, error_code, error_stack }) as const;

const now = () => new Date().toISOString();

const once = (emitter: NodeJS.EventEmitter, event: string): Promise<unknown[]> =>
  new Promise(resolve => {
    emitter.once(event, (...args) => resolve(args));
  });

const inherited = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => INHERITED.test(name)));
