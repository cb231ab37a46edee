import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const fileIn = (folder: string): string => join(folder, 'browser-failed');

/** Returns the path of the last program that did not work in a run of this worker; null if there was none. */
export async function failedBrowser(folder: string): Promise<string | null> {
  return (await readFile(fileIn(folder), 'utf8').catch(() => '')) || null;
}

/** Remembers a program that did not work, so that the next start uses another one. */
export async function rememberFailed(folder: string, executable: string): Promise<void> {
  await writeFile(fileIn(folder), executable, { mode: 0o600 });
}
