import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { EXIT } from '../exit-codes.js';
import { Failure } from '../failure.js';
import { parseJson } from '../skript-folder/manifest.js';
import { readStdin } from '../terminal/read-stdin.js';

/** Options of commands that start a run. */
export interface ValueOptions {
  /** JSON file with the input; `-` for stdin. */
  input?: string;
  inputSecret?: string;
}

/** Returns the JSON text of a file after checking it; null without a name. */
export async function readJsonFile(name: string | undefined): Promise<string | null> {
  if (name === undefined) return null;
  const text = name === '-' ? await readStdin() : await readText(name);
  parseJson(text, name === '-' ? 'stdin' : name);
  return text.replace(/^\uFEFF/, '');
}

async function readText(name: string): Promise<string> {
  try {
    return await readFile(resolve(name), 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Failure(code === 'ENOENT' ? `There is no file ${name}.` : `${name} cannot be read: ${code}.`, EXIT.usage);
  }
}
