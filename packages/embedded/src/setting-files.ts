import { readFileSync } from 'node:fs';

/**
 * Returns the environment variables that are set: without empty ones, because `NAME=` in an `.env` file counts as not
 * set. A variable `NAME_FILE` sets the variable `NAME` to the content of that file, as containers get their secrets.
 *
 * @param names of the variables that may come from files
 * @throws Error that names the variable whose file cannot be read, or which is set twice
 */
export function settingsWithFiles(env: NodeJS.ProcessEnv, names: readonly string[]): NodeJS.ProcessEnv {
  const settings = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  for (const name of names) {
    const file = settings[`${name}_FILE`];
    if (file === undefined) continue;
    if (settings[name] !== undefined) throw new Error(`${name}_FILE: set either this or ${name}, not both`);
    try {
      settings[name] = readFileSync(file, 'utf8').trim();
    } catch (error) {
      throw new Error(`${name}_FILE: the file cannot be read (${(error as Error).message})`);
    }
  }
  return settings;
}
