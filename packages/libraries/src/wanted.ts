import { resolve } from 'npm-package-arg';

export const MAX_WANTED = 100;
const OF_A_REGISTRY = new Set(['version', 'range', 'tag']);
const MAX_CHARS = 214;

/** Null when npm's registry can be asked for this library so; otherwise why not. */
export function problemOf(name: string, wanted: unknown): string | null {
  const shown = name.slice(0, MAX_CHARS);
  if (typeof wanted !== 'string' || wanted.length > MAX_CHARS) {
    return `${shown} needs its version as a text, such as "^1.2.0".`;
  }
  try {
    const spec = resolve(name, wanted);
    const { type } = spec.subSpec ?? spec;
    if (OF_A_REGISTRY.has(type)) return null;
  } catch {
    return `${JSON.stringify(shown)} with the version ${JSON.stringify(wanted)} is nothing that npm knows. Write it as "name": "^1.2.0".`;
  }
  return `${shown} is asked for as ${JSON.stringify(wanted)}, which is no version of the npm registry. A skript’s libraries come from there only: write a version or a range, such as "^1.2.0".`;
}
