import { readFile } from 'node:fs/promises';
import type { Context } from '../../context.js';
import { EXIT } from '../../exit-codes.js';
import { exitCodeOf } from '../../explain.js';
import { Failure } from '../../failure.js';
import { accountOf } from '../../session/connect.js';
import { fetchAnswer } from '../../session/fetch-answer.js';
import { clean, safeJson } from '../../terminal/clean.js';
import { progress } from '../../terminal/progress.js';
import { readStdin } from '../../terminal/read-stdin.js';

export const METHODS = ['GET', 'POST', 'PUT', 'DELETE'];

export interface ApiOptions {
  /** JSON text; `@file`, or `-` for stdin. */
  data?: string;
  dryRun?: boolean;
}

/** Calls an operation of the API and prints the answer. */
export default async function api(
  method: string,
  path: string,
  { data, dryRun }: ApiOptions,
  context: Context,
): Promise<void> {
  const { output } = context;
  const verb = method.toUpperCase();
  if (!METHODS.includes(verb))
    throw new Failure(`The method must be ${METHODS.join(', ')}; you gave ${method}.`, EXIT.usage);
  if (verb === 'GET' && data !== undefined) throw new Failure('GET sends no body: leave out --data.', EXIT.usage);
  const { url, key } = await accountOf(context);
  const body = data === undefined ? undefined : await bodyOf(data);
  const address = addressOf(url, path);
  if (dryRun) return output.planned(`send ${verb} ${address}${body === undefined ? '' : ` with ${body}`}`);
  const headers = {
    Authorization: `Bearer ${key}`,
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
  };
  const request = new Request(address, { method: verb, headers, body, redirect: 'error' });
  const call = fetchAnswer(request).catch(error => {
    throw new Failure(`Trawl is unreachable at ${url}: ${error.cause?.message ?? error.message}.`, EXIT.unavailable);
  });
  const answer = await progress(output, `${verb} ${path}`, call);
  const bytes = Buffer.from(await answer.arrayBuffer());
  // The website answers for paths that the API does not have.
  if (!answer.ok && answer.headers.get('content-type')?.startsWith('text/html')) {
    throw new Failure(`The API has no ${verb} ${path}. See ${url}/docs/joint-api`, exitCodeOf(answer.status));
  }
  await print(bytes, output);
  if (answer.ok) return;
  throw new Failure(`${verb} ${path} answered with status ${answer.status}.`, exitCodeOf(answer.status));
}

/** The key goes only to the platform that it is for: a path cannot lead to another host. */
function addressOf(url: string, path: string): string {
  if (path.startsWith('/')) return url.replace(/\/+$/, '') + path;
  throw new Failure(`The path must begin with /, such as /joint-api/account; you gave ${path}.`, EXIT.usage);
}

async function bodyOf(data: string): Promise<string> {
  if (data === '-') return readStdin();
  return data.startsWith('@') ? readFile(data.slice(1), 'utf8') : data;
}

/** Writes the answer: JSON with indents, anything else as it came. At a terminal, it cannot control the terminal. */
function print(bytes: Buffer, { stdout, isJson }: Context['output']): Promise<void> {
  const text = bytes.toString();
  const json = indented(text) ?? (isJson ? `${safeJson(text)}\n` : null);
  const shown = json ?? (stdout.isTTY ? clean(text) : bytes);
  return new Promise(resolve => {
    stdout.write(shown, () => resolve());
  });
}

function indented(text: string): string | null {
  try {
    return `${safeJson(JSON.parse(text), 2)}\n`;
  } catch {
    return null;
  }
}
