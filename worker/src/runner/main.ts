/**
 * The program that a run's process consists of: waits parked for the bundle from the worker, runs it, and tells how it
 * ended. It is bundled with all it imports into one file; no skript sees the rest of the worker.
 */
import { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { setImmediate } from 'node:timers';
import { builtin } from '../builtin.js';
import { PROXY_PATH } from '../egress/proxy-protocol.js';
import { COMMANDS_FD, type CommandToRun, MESSAGES_FD, type StartCommand } from '../pipe-messages.js';
import { CommandsPipe } from './commands-pipe.js';
import { LoadedSkript } from './loaded-skript.js';
import { MessagesPipe } from './messages-pipe.js';
import { OutputLines } from './output-lines.js';
import { watchProcess } from './process-events.js';
import type { RunBrowser } from './run-browser.js';
import { SkriptRun } from './skript-run.js';
import { StorageCalls } from './storage-calls.js';

/** For files of their own: what they load takes time of each process. */
const load = createRequire(__filename);
const messages = new MessagesPipe(MESSAGES_FD);
const commands = new CommandsPipe(COMMANDS_FD);
const storage = new StorageCalls(messages, commands);
const said = (type: 'log' | 'error') => (text: string) => messages.echo([type, text, new Date().toISOString()]);
const stdout = new OutputLines(said('log'));
const stderr = new OutputLines(said('error'));
const browser = runBrowser();
let skript: LoadedSkript | undefined;
let run: SkriptRun | undefined;
/** `global.trawl` of the run that is on this process, or was the last. */
let trawl: { eventEmitter: EventEmitter } & Pick<StartCommand, 'execution_id' | 'skript' | 'worker'>;

if (existsSync(PROXY_PATH)) useProxy();
browser?.prepare();
prepareProcess();
messages.send({ t: 'parked' });
const first = firstStart();
if (first) {
  start(first);
  // Later than the first line of a skript that is over at once. Whoever loops has nothing to hear with anyway.
  setImmediate(() => commands.listen(obey));
} else {
  commands.hold();
  commands.listen(obey);
}

function useProxy(): void {
  const { installProxiedNetwork } = load('./proxied-network.cjs') as typeof import('./proxied-network.js');
  installProxiedNetwork(PROXY_PATH);
}

function firstStart(): StartCommand | null {
  for (let command = commands.next(); command; command = commands.next()) {
    if (command.t === 'start') return command;
    obey(command);
  }
  return null;
}

function obey(command: CommandToRun): void {
  if (command.t === 'start') {
    commands.release();
    start(command);
  } else if (command.t === 'prepare') {
    prepareForMost();
  } else if (command.t === 'stop') {
    trawl.eventEmitter.emit('ff-stop');
  } else if (command.t === 'storage') {
    storage.answer(command.call, command.answer);
  } else {
    const text = whereItStands();
    void Promise.resolve(showPage()).then(() => messages.send({ t: 'place', text }));
  }
}

/** Loads and tries what most runs use, so that it takes none of their time. */
function prepareForMost(): void {
  builtin('node:net');
  stdout.stream.write('');
  const code = 'module.exports = () => {};';
  new LoadedSkript(code, { runtime: dirname(__filename), libraries: null, folder: '' }).load(code);
}

function prepareProcess(): void {
  Object.defineProperty(process, 'stdout', { get: () => stdout.stream });
  Object.defineProperty(process, 'stderr', { get: () => stderr.stream });
  Object.defineProperty(globalThis, 'trawl', { get: () => trawl });
  storage.install();
  watchProcess(() => run, messages, finishOutput);
}

/** Null in an environment without a browser. */
function runBrowser(): RunBrowser | null {
  const executable = process.env.CHROME_PATH;
  if (executable === undefined) return null;
  const warn = (text: string) => messages.echo(['warn', text, new Date().toISOString()]);
  const { RunBrowser } = load('./run-browser.cjs') as typeof import('./run-browser.js');
  return new RunBrowser(executable, dirname(__filename), warn);
}

/** Before an error is told: the page that the skript used last goes with it. Null when it used none. */
function showPage(): Promise<void> | null {
  const evidence = browser?.evidence();
  if (!evidence) return null;
  return evidence.then(items => {
    for (const item of items) messages.echo(item);
  });
}

function start(command: StartCommand): void {
  const { execution_id, skript: named, worker, folder, libraries, code } = command;
  messages.run = command.run;
  const eventEmitter = new EventEmitter();
  eventEmitter.on('echo', (echo: { type?: unknown; msg?: unknown; time?: unknown }) => {
    messages.echo([String(echo?.type), String(echo?.msg), String(echo?.time)]);
  });
  trawl = { eventEmitter, execution_id, skript: named, worker };
  if (code !== null) skript = new LoadedSkript(code, { runtime: dirname(__filename), libraries, folder });
  else process.chdir(folder);
  run = new SkriptRun(command, skript as LoadedSkript, messages, {
    beforeError: showPage,
    beforeEnd: finishOutput,
    settled: keep,
  });
  void run.run();
}

/** The run is over and the process stays, with its module, for the next. */
function keep(): void {
  trawl.eventEmitter.removeAllListeners();
  storage.forget();
  commands.hold();
}

function finishOutput(): void {
  stdout.finish();
  stderr.finish();
}

function whereItStands(): string {
  const place = skript?.place();
  const active = process.getActiveResourcesInfo().filter(name => name !== 'PipeWrap' && name !== 'Immediate');
  const waits = [...new Set(active)].join(', ');
  return `${waits ? ` It was still waiting for: ${waits}.` : ''}${place ? `\n    at the exported function (${place})` : ''}`;
}
