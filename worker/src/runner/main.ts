/**
 * The program that a run's process consists of: takes the bundle from the worker, runs it, and tells how it ended.
 * It is bundled with all it imports into one file; no skript sees the rest of the worker.
 */
import { EventEmitter } from 'node:events';
import { dirname } from 'node:path';
import { COMMANDS_FD, type CommandToRun, MESSAGES_FD, type StartCommand } from '../pipe-messages.js';
import { CommandsPipe } from './commands-pipe.js';
import { MessagesPipe } from './messages-pipe.js';
import { OutputLines } from './output-lines.js';
import { SkriptRun } from './skript-run.js';
import { StorageCalls } from './storage-calls.js';

const eventEmitter = new EventEmitter();
const messages = new MessagesPipe(MESSAGES_FD);
const commands = new CommandsPipe(COMMANDS_FD, obey);
const storage = new StorageCalls(messages, commands);
let run: SkriptRun | undefined;

commands.hold();

function obey(command: CommandToRun): void {
  if (command.t === 'start') {
    commands.release();
    start(command);
  } else if (command.t === 'stop') {
    eventEmitter.emit('ff-stop');
  } else if (command.t === 'storage') {
    storage.answer(command.call, command.answer);
  } else {
    messages.send({ t: 'place', text: whereItStands() });
  }
}

function start(command: StartCommand): void {
  eventEmitter.on('echo', (echo: { type?: unknown; msg?: unknown; time?: unknown }) => {
    messages.echo([String(echo?.type), String(echo?.msg), String(echo?.time)]);
  });
  const said = (type: 'log' | 'error') => (text: string) => messages.echo([type, text, new Date().toISOString()]);
  const stdout = new OutputLines(said('log'));
  const stderr = new OutputLines(said('error'));
  Object.defineProperty(process, 'stdout', { value: stdout });
  Object.defineProperty(process, 'stderr', { value: stderr });
  const { execution_id, skript, worker } = command;
  Object.defineProperty(globalThis, 'trawl', { value: { eventEmitter, execution_id, skript, worker } });
  storage.install();
  run = new SkriptRun(command, dirname(__filename), messages, () => {
    stdout.finish();
    stderr.finish();
  });
  void run.run();
}

function whereItStands(): string {
  const place = run?.place();
  const active = process.getActiveResourcesInfo().filter(name => name !== 'PipeWrap' && name !== 'Immediate');
  const waits = [...new Set(active)].join(', ');
  return `${waits ? ` It was still waiting for: ${waits}.` : ''}${place ? `\n    at the exported function (${place})` : ''}`;
}
