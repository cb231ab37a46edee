import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { INPUT, INPUT_SECRET } from './names.js';

/** Values of a run that have names. */
interface Named {
  name: string;
}

export interface DefaultValues<Value> {
  input?: Value;
  inputSecret?: Value;
}

/** Picks the input and the input secret that a run gets unless it is told otherwise: those with the usual names. */
export const defaultsAmong = <Value extends Named>(inputs: Value[], secrets: Value[]): DefaultValues<Value> => ({
  input: usual(inputs, 'input.json'),
  inputSecret: usual(secrets, 'inputSecret.json'),
});

/** Returns the value with the default name, or else the only one. */
function usual<Value extends Named>(values: Value[], name: string): Value | undefined {
  return values.find(value => value.name === name) ?? (values.length === 1 ? values[0] : undefined);
}

/** Returns the given files, or without any the paths of those in a skript's folder that a run gets by default. */
export async function valuesFor(folder: string, given: DefaultValues<string>): Promise<DefaultValues<string>> {
  if (given.input !== undefined || given.inputSecret !== undefined) return given;
  const entries = await readdir(folder, { withFileTypes: true });
  // A link that leads out of the folder is refused later, with its name.
  const files = entries.filter(entry => entry.isFile() || entry.isSymbolicLink());
  const like = (kind: RegExp) => files.filter(({ name }) => kind.test(name));
  const { input, inputSecret } = defaultsAmong(like(INPUT), like(INPUT_SECRET));
  return { input: input && join(folder, input.name), inputSecret: inputSecret && join(folder, inputSecret.name) };
}
