import { Trawl, unwrap } from '@trawl/client';
import { KEY_SCOPES, SKRIPT_TEMPLATES } from '@trawl/contracts';
import type { Command, Option } from 'commander';
import type { Context } from '../../context.js';
import { accountOf } from '../../session/connect.js';
import { readCredentials } from '../../session/credentials.js';
import { cleanLine } from '../../terminal/clean.js';
import { listWebhooks } from '../../webhooks/find-webhook.js';
import { METHODS } from './api.js';
import { SHELLS } from './completion.js';

/** A person waits for the completion with a finger on the key. */
const ANSWER_MS = 1_000;

/** Names for the values of options and arguments, by the name of the option or argument. All others are files or free. */
const VALUES: Record<string, (trawl: () => Promise<Trawl>) => Promise<string[]> | string[]> = {
  '--template': () => Object.keys(SKRIPT_TEMPLATES),
  '--scope': () => [...KEY_SCOPES],
  '--format': () => ['csv', 'json', 'ndjson', 'extjson', 'xlsx', 'parquet'],
  '--delimiter': () => ['comma', 'semicolon', 'tab', 'pipe'],
  '--decimal-mark': () => ['point', 'comma'],
  '--profile': async () => Object.keys((await readCredentials()).profiles),
  '--skript': skripts,
  skript: skripts,
  run: skripts,
  schedule: schedules,
  webhook: async trawl => (await listWebhooks(await trawl())).map(({ name }) => name),
  shell: () => Object.keys(SHELLS),
  method: () => METHODS,
};

/**
 * Prints the names that can complete the last word of a command line, a line each.
 *
 * @param words all words after `trawl`, up to the cursor
 */
export default async function complete(words: string[], program: Command, context: Context): Promise<void> {
  const connectOnce = async () => {
    const { url, key } = await accountOf({ profile: profileIn(words) });
    const withLimit = (request: Request) => fetch(request, { signal: AbortSignal.timeout(ANSWER_MS) });
    return new Trawl({ url, key, retryForMs: 0, fetch: withLimit });
  };
  const last = unquoted(words.at(-1) ?? '');
  // A shell has no place for an error between the letters that somebody types.
  const names = await namesFor(words, program, connectOnce).catch(() => []);
  for (const name of names) {
    if (name.startsWith(last) && name === cleanLine(name)) context.output.stdout.write(`${name}\n`);
  }
}

async function namesFor(words: string[], program: Command, trawl: () => Promise<Trawl>): Promise<string[]> {
  let command = program;
  let position = 0;
  let awaited: Option | undefined;
  for (const word of words.slice(0, -1)) {
    const inner = command.commands.find(one => one.name() === word || one.aliases().includes(word));
    if (awaited) awaited = undefined;
    else if (word.startsWith('-')) awaited = optionNamed(word, command, program);
    else if (inner) command = inner;
    else position += 1;
  }
  if (awaited) return (await VALUES[awaited.long ?? '']?.(trawl)) ?? [];
  if (words.at(-1)?.startsWith('-')) {
    return [...command.options, ...program.options, { long: '--help' }].flatMap(({ long }) => long ?? []);
  }
  if (command.commands.length > 0 && position === 0) {
    return command
      .createHelp()
      .visibleCommands(command)
      .map(one => one.name());
  }
  const argument = command.registeredArguments[position]?.name() ?? '';
  return (await VALUES[argument]?.(trawl)) ?? [];
}

/** Returns the option of this name if it takes a value. */
const optionNamed = (name: string, ...commands: Command[]): Option | undefined =>
  commands
    .flatMap(({ options }) => options)
    .find(
      ({ long, short, required }) =>
        required && (name === long || name === short || (name === '-is' && long === '--inputSecret')),
    );

const profileIn = (words: string[]): string | undefined => {
  const at = words.indexOf('--profile');
  return at === -1 ? undefined : words[at + 1];
};

/** Shells pass a word as it was typed. */
const unquoted = (word: string): string => word.replace(/^["']/, '').replace(/\\(.)/g, '$1');

async function skripts(trawl: () => Promise<Trawl>): Promise<string[]> {
  const query = { select: 'title', limit: 1_000, sort: 'title' };
  const { items } = await unwrap((await trawl()).api.GET('/joint-api/skripts/list', { params: { query } }));
  return items.flatMap(({ title }) => title ?? []);
}

async function schedules(trawl: () => Promise<Trawl>): Promise<string[]> {
  const query = { limit: 1_000, sort: 'name' };
  const { items } = await unwrap((await trawl()).api.GET('/joint-api/schedules/list', { params: { query } }));
  return items.map(({ name }) => name);
}
