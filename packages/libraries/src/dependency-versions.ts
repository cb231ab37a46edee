import { resolve } from 'npm-package-arg';

export const MAX_DEPENDENCIES = 100;
const REGISTRY_TYPES = new Set(['version', 'range', 'tag']);
const MAX_CHARS = 214;

/** Returns what is wrong with a dependency's version in package.json; null if npm's registry can resolve it. */
export function versionProblem(name: string, version: unknown): string | null {
  const shown = name.slice(0, MAX_CHARS);
  if (typeof version !== 'string' || version.length > MAX_CHARS) {
    return `The version of ${shown} must be a text of at most ${MAX_CHARS} characters, such as "^1.2.0".`;
  }
  if (name in {}) {
    return `npm cannot install a library called ${JSON.stringify(shown)}, because every JavaScript object has a property of this name. Use another library.`;
  }
  try {
    const spec = resolve(name, version);
    const { type } = spec.subSpec ?? spec;
    if (REGISTRY_TYPES.has(type)) return null;
  } catch {
    return `npm does not understand the library ${JSON.stringify(shown)} with the version ${JSON.stringify(version)}. Write it as "name": "^1.2.0".`;
  }
  return `The version ${JSON.stringify(version)} of ${shown} does not name a version in the npm registry, and libraries of skripts must come from there. Write a version or a range, such as "^1.2.0".`;
}
