/** The runner waits for a bundle, executes it and reports the outcome. The build makes one file of it and its imports. */
import { EventEmitter } from 'node:events';
import { appendFileSync, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers';
import {
  exchangeParts,
  LIMITS,
  type OnMiss,
  type PostgresAnswer,
  type PostgresOperation,
  type StorageAnswer,
} from '@trawl/contracts';
import { isoNow } from '@trawl/echo/iso-now';
import {
  COMMANDS_FD,
  type CommandToRun,
  MESSAGES_FD,
  type StartCommand,
  type StorageCall,
} from '../protocol/pipe-messages.js';
import { PROXY_PATH } from '../protocol/proxy-protocol.js';
import type { RunBrowser } from './browser/run-browser.js';
import { CommandsPipe } from './commands-pipe.js';
import type { CrawleeOfRun } from './crawlee/crawlee-of-run.js';
import { ExchangeCapture } from './exchanges/exchange-capture.js';
import { LastExchanges } from './exchanges/last-exchanges.js';
import { LibraryCalls } from './library-calls.js';
import { LoadedSkript } from './loaded-skript.js';
import { MessagesPipe } from './messages-pipe.js';
import { RequestCounts } from './network/request-counts.js';
import { builtin } from './node/builtin.js';
import { olderLibrary } from './older-library.js';
import { OutputLines } from './output-lines.js';
import type { startPolite as StartPolite } from './polite/start-polite.js';
import { reportProcessEvents } from './process-events.js';
import type { ProxiedConnections, ProxyChoice } from './proxies/proxied-connections.js';
import { Questions } from './questions.js';
import type { Recorder } from './replay/recorder.js';
import { secondParameter } from './second-parameter.js';
import { SkriptRun } from './skript-run.js';

/**
 * Loads a part of the runner that only some runs need. Such parts are separate files, because loading them takes time
 * in each process.
 */
const load = createRequire(__filename);
/** The record that the run replays. */
const REPLAYED_FILE = join(tmpdir(), `replay-${process.pid}.record`);
/** Name of the global function by which @trawl/storage waits until pushed rows are stored. */
const FLUSH_ROWS = Symbol.for('trawl.flushRows');
/** A message of the run's record fits into a message with data. */
const RECORD_PIECE_BYTES = LIMITS.storageOperationBytes;
/** Id of a run on the user's own computer. */
const LOCAL_RUN = 'local';
const messages = new MessagesPipe(MESSAGES_FD);
const warn = (text: string): void => messages.echo(['warn', text, isoNow()]);
const commands = new CommandsPipe(COMMANDS_FD);
const storage = new LibraryCalls<StorageCall & { args: Uint8Array }, StorageAnswer>(
  'trawl.storage',
  commands,
  (call, { args, ...op }) => messages.send({ t: 'storage', call, op }, args),
);
const postgres = new LibraryCalls<PostgresOperation, PostgresAnswer>('trawl.postgres', commands, (call, op) =>
  messages.send({ t: 'postgres', call, op }),
);
const questions = new Questions(messages);
const requests = new RequestCounts();
const exchanges = new ExchangeCapture(exchange => requests.ended(exchange));
const lastExchanges = new LastExchanges();
let keepsExchanges = false;
const echoLine = (type: 'log' | 'error') => (text: string) => messages.echo([type, text, isoNow()]);
const stdout = new OutputLines(echoLine('log'));
const stderr = new OutputLines(echoLine('error'));
const browser = runBrowser();
let skript: LoadedSkript | undefined;
let run: SkriptRun | undefined;
let recorder: Recorder | undefined;
/** Undefined until a run of this process is polite. */
let polite: ReturnType<typeof StartPolite> | undefined;
/** Undefined until a run of this process uses a pool of proxies. */
let proxies: ProxiedConnections | undefined;
/** Undefined unless the libraries of the skript have Crawlee. */
let crawlee: CrawleeOfRun | undefined;
/** The command of the current or the latest run. */
let started: StartCommand;
/** `global.trawl` of the current or the latest run. */
let trawl: { eventEmitter: EventEmitter } & Pick<StartCommand, 'execution_id' | 'skript' | 'worker'>;
/** `global.dex8` of the same run: the same object, unless the skript assigns another, as some older skripts do. */
let dex8: unknown;

if (existsSync(PROXY_PATH)) useProxy();
browser?.prepare();
prepareProcess();
messages.send({ t: 'parked' });
const first = firstStart();
if (first) {
  start(first);
  // Listen for commands only after the skript has begun, so that a short skript need not wait for it. A skript in an
  // endless loop could not receive commands anyway.
  setImmediate(() => commands.listen(handleCommand));
} else {
  commands.hold();
  commands.listen(handleCommand);
}

function useProxy(): void {
  const { installProxiedNetwork } = load('./proxied-network.cjs') as typeof import('./network/proxied-network.js');
  installProxiedNetwork(PROXY_PATH);
}

function firstStart(): StartCommand | null {
  for (let next = commands.next(); next; next = commands.next()) {
    const [command, data] = next;
    if (command.t === 'start') return command;
    handleCommand(command, data);
  }
  return null;
}

function handleCommand(command: CommandToRun, data: Buffer | null): void {
  if (command.t === 'start') {
    commands.release();
    start(command);
  } else if (command.t === 'prepare') {
    preloadCommonModules();
  } else if (command.t === 'record') {
    appendFileSync(REPLAYED_FILE, data as Buffer);
  } else if (command.t === 'stop') {
    trawl.eventEmitter.emit('ff-stop');
  } else if (command.t === 'storage') {
    storage.answer(command.call, command.error ? { error: command.error } : { result: data as Buffer });
  } else if (command.t === 'postgres') {
    const { call, answer } = command;
    if (data && 'result' in answer) Object.assign(answer.result, { rows: JSON.parse(data.toString()) });
    postgres.answer(call, answer);
  } else if (command.t === 'answer') {
    questions.answer(command.call, command.answer);
  } else {
    const text = positionText();
    void Promise.resolve(showPage(true)).then(() => {
      sendExchanges();
      messages.send({ t: 'place', text, requests: requests.take() });
    });
  }
}

/** Loads the modules that most runs use while the process is parked, so that this takes no time during a run. */
function preloadCommonModules(): void {
  builtin('node:net');
  stdout.stream.write('');
  const code = 'module.exports = () => {};';
  new LoadedSkript(code, { runtime: dirname(__filename), libraries: null, folder: '' }).load(code);
}

function prepareProcess(): void {
  Object.defineProperty(process, 'stdout', { get: () => stdout.stream });
  Object.defineProperty(process, 'stderr', { get: () => stderr.stream });
  Object.defineProperty(globalThis, 'trawl', { get: () => trawl });
  Object.defineProperty(globalThis, 'dex8', {
    get: () => dex8,
    set: value => {
      dex8 = value;
    },
  });
  storage.install();
  postgres.install();
  questions.install();
  Object.defineProperty(globalThis, Symbol.for('trawl.chooseProxies'), { value: chooseProxies });
  messages.install();
  requests.install();
  exchanges.install();
  reportProcessEvents(() => run, messages, finishOutput);
}

/** Creates the browser of the run. Returns null in an environment without a browser. */
function runBrowser(): RunBrowser | null {
  const executable = process.env.CHROME_PATH;
  if (executable === undefined) return null;
  const { RunBrowser } = load('./run-browser.cjs') as typeof import('./browser/run-browser.js');
  return new RunBrowser(executable, dirname(__filename), warn, {
    begin: start => exchanges.begin(start),
    counts: {
      requested: url => requests.requested(url),
      answered: (url, status, header) => {
        polite?.gate.answered(new URL(url).host, status, header('retry-after'));
        return requests.answered(url, status, header);
      },
      shown: (url, html) => requests.shown(url, html),
    },
  });
}

/**
 * Sends the page that the skript used last as echoes; called before the run reports an error. Returns null if the
 * skript used no page.
 *
 * @param isUrgent whether the worker ends this process soon
 */
function showPage(isUrgent: boolean): Promise<void> | null {
  const evidence = browser?.evidence(isUrgent);
  if (!evidence) return null;
  return evidence.then(items => {
    for (const item of items) messages.echo(item);
  });
}

/**
 * Waits until @trawl/storage has stored all rows that the skript has pushed. Returns null if it has pushed none. Then
 * waits for a turn of the event loop, in which a failed push that the skript does not wait for becomes an error of the
 * run.
 */
function flushRows(): Promise<void> | null {
  const flush = (globalThis as { [FLUSH_ROWS]?: () => Promise<void> | undefined })[FLUSH_ROWS];
  return flush ? Promise.resolve(flush()).then(() => new Promise(resolve => setImmediate(resolve))) : null;
}

/** Finishes what the run leaves: pushed rows and its record. Returns null if there is nothing to do. */
function finishWork(other: Promise<unknown> | null | undefined = null): Promise<unknown> | null {
  const work = [other, flushRows(), recorder?.finish(), proxies?.finish()];
  return work.some(promise => promise != null) ? Promise.all(work).then(([result]) => result) : null;
}

function start(command: StartCommand): void {
  const { execution_id, skript: named, worker, folder, libraries, code } = command;
  messages.run = command.run;
  keepExchanges(command.keeps_exchanges);
  setRowKey(command.row_key);
  const eventEmitter = new EventEmitter();
  eventEmitter.on('echo', (echo: { type?: unknown; msg?: unknown; time?: unknown }) => {
    messages.echo([String(echo?.type), String(echo?.msg), String(echo?.time)]);
  });
  started = command;
  trawl = { eventEmitter, execution_id, skript: named, worker };
  dex8 = trawl;
  if (code !== null) skript = new LoadedSkript(code, { runtime: dirname(__filename), libraries, folder });
  else process.chdir(folder);
  if (code !== null && libraries !== null && existsSync(join(libraries, 'node_modules/@crawlee/core'))) {
    crawlee = crawleeOfRun(libraries);
  }
  const loaded = skript as LoadedSkript;
  const library = olderLibrary({
    eventEmitter,
    hasBrowser: browser !== null,
    load,
    warn,
  });
  run = new SkriptRun(command, loaded, messages, {
    secondParameter: secret => secondParameter(secret, loaded.mainCode, library),
    returned: () => finishWork(crawlee?.finish(execution_id)),
    isProgram: () => crawlee?.isLoaded === true,
    beforeError: () => finishWork(showPage(false)),
    beforeEnd: finishOutput,
    requests: () => requests.take(),
    settled: keepProcess,
  });
  const { record, proxy, replay, input_secret: secret } = command;
  proxies?.start(execution_id);
  // Connections fail with the same error.
  if (proxy && replay?.on_miss !== 'fail') chooseProxies({}).catch(() => {});
  if (command.polite) startPolite();
  else polite?.gate.stop();
  if (record) startRecorder(secret);
  if (!replay) void run.run();
  else void startReplay(run, secret, replay.on_miss);
}

function crawleeOfRun(libraries: string): CrawleeOfRun {
  const { CrawleeOfRun: OfRun } = load('./crawlee.cjs') as typeof import('./crawlee/crawlee-of-run.js');
  const current = () => {
    const { execution_id: id, skript: named, retry_of, input, output_bytes: outputBytes } = started;
    return { id, firstId: retry_of ?? id, skriptId: named.id, isLocal: id === LOCAL_RUN, input, outputBytes };
  };
  const exit = (code: number) => {
    const text = () => (crawlee as CrawleeOfRun).failure(started.execution_id, code);
    void (code === 0 ? run?.exit() : run?.failThrown(new Error(text()), ''));
  };
  return new OfRun(libraries, current, exit);
}

function startRecorder(secret: string | null): void {
  const { startRecorder: begin } = load('./recorder.cjs') as typeof import('./replay/start-recorder.js');
  const started = begin(
    secret,
    bytes => {
      for (let at = 0; at < bytes.length; at += RECORD_PIECE_BYTES) {
        messages.send({ t: 'record' }, bytes.subarray(at, at + RECORD_PIECE_BYTES));
      }
    },
    text => {
      warn(text);
      messages.send({ t: 'record_lacks', text });
    },
  );
  recorder = started.recorder;
  exchanges.add(recorder);
  browser?.intercept(started.pages);
  exchanges.start();
}

function startPolite(): void {
  if (!polite) {
    const { startPolite: begin } = load('./polite.cjs') as typeof import('./polite/start-polite.js');
    polite = begin(op => storage.call(op), warn);
  }
  polite.gate.start();
  browser?.intercept(polite.pages);
}

/** Connects through the proxies of a pool from now on, or directly. `proxy` of @trawl/storage calls it. */
async function chooseProxies(choice: Partial<ProxyChoice> | null): Promise<void> {
  if (started.execution_id === LOCAL_RUN) {
    warn('The proxies of your pools are on the platform. This run connects directly.');
    return;
  }
  const pool = choice?.pool ?? started.proxy;
  if (choice && pool === undefined) {
    throw new Error("proxy: the skript has no pool of proxies. Name one, as in proxy({ pool: 'shops' }).");
  }
  if (choice && !proxies) {
    const { startProxies } = load('./proxies.cjs') as typeof import('./proxies/start-proxies.js');
    proxies = startProxies(op => storage.call(op), warn);
    proxies.start(started.execution_id);
    browser?.forgetPrepared();
  }
  await proxies?.choose(choice && { ...choice, pool: pool as string });
}

/** Starts a run whose requests get recorded answers. */
async function startReplay(replayed: SkriptRun, secret: string | null, onMiss: OnMiss): Promise<void> {
  const { startReplay: begin } = load('./replay.cjs') as typeof import('./replay/start-replay.js');
  try {
    const pages = await begin(REPLAYED_FILE, secret, {
      missed: onMiss === 'fail' ? text => replayed.missed(text) : null,
      warn,
    });
    browser?.intercept(pages);
    if (onMiss === 'fail') browser?.goOffline();
  } catch (error) {
    replayed.failThrown(error, 'The replay did not start: ');
    return;
  }
  void replayed.run();
}

/** Prepares this process, in which the skript stays loaded, for the next run. */
function keepProcess(): void {
  trawl.eventEmitter.removeAllListeners();
  storage.forget();
  postgres.forget();
  questions.forget();
  browser?.forgetRun();
  commands.hold();
}

function finishOutput(): void {
  stdout.finish();
  stderr.finish();
  sendExchanges();
}

/** Tells the storage library, which runs in the same process, the default key of rows. */
function setRowKey(key: StartCommand['row_key']): void {
  (globalThis as Record<symbol, unknown>)[Symbol.for('trawl.rowKey')] = key ?? undefined;
}

function keepExchanges(isKept: boolean): void {
  keepsExchanges = isKept;
  lastExchanges.take();
  exchanges.remove(lastExchanges);
  if (!isKept) {
    exchanges.stop();
    return;
  }
  exchanges.add(lastExchanges);
  exchanges.start();
}

/** Sends what the run saw last to the worker, which keeps it if the run fails. */
function sendExchanges(): void {
  for (const exchange of lastExchanges.take()) {
    const { head, data } = exchangeParts(exchange);
    messages.send({ t: 'exchange', head }, data);
  }
  const page = keepsExchanges ? browser?.pageSeen() : null;
  if (page) messages.send({ t: 'page', page });
}

/** Returns the text for the error of a timeout: what the run is waiting for, and where the exported function is. */
function positionText(): string {
  const position = skript?.position();
  const active = process.getActiveResourcesInfo().filter(name => name !== 'PipeWrap' && name !== 'Immediate');
  const waits = [...new Set([...(polite?.gate.waits ?? []), ...active])].join(', ');
  return `${waits ? ` It was still waiting for: ${waits}.` : ''}${position ? `\n    at the exported function (${position})` : ''}`;
}
