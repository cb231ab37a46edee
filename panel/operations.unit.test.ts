import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';

/** Operations that no screen needs, each with the reason. */
const WITHOUT_SCREEN: Record<string, string> = JSON.parse(readFileSync('panel/operations-without-screen.json', 'utf8'));
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

const { paths } = parse(readFileSync('openapi.yaml', 'utf8')) as { paths: Record<string, object> };
const operations = Object.entries(paths).flatMap(([path, item]) =>
  Object.keys(item).flatMap(method => (METHODS.includes(method) ? [`${method.toUpperCase()} ${path}`] : [])),
);

/** Returns the source files of the panel that its first file imports, directly or by others. */
function filesFrom(path: string, seen: Map<string, string>): Map<string, string> {
  if (seen.has(path)) return seen;
  const source = readFileSync(path, 'utf8');
  seen.set(path, source);
  for (const [, name] of source.matchAll(/(?:from|import\() ?'(\.{1,2}\/[^']+)\.js'/g)) {
    const file = ['.ts', '.tsx'].map(ending => join(dirname(path), `${name}${ending}`)).find(existsSync);
    if (!file) throw new Error(`${path} imports ${name}.js, which has no source file.`);
    filesFrom(file, seen);
  }
  return seen;
}

/** Returns `METHOD /path` of each call in the source. A `${…}` in a path stands for one of its parameters. */
function callsIn(source: string): string[] {
  const found = [
    ...source.matchAll(/\bapi\s*\.(?<method>[A-Z]+)\(\s*'(?<path>[^']+)'/g),
    ...source.matchAll(/\.open\('(?<method>[A-Z]+)', ['`](?<path>\/[^'`?]+)/g),
    ...source.matchAll(/\b(?:download|fetch)\(\s*['`](?<path>\/[^'`?]+)['`?]/g),
  ];
  return found.map(({ groups: { method = 'GET', path = '' } = {} }) => {
    return `${method} ${path.replaceAll(/\$\{(?:[^{}]|\{[^}]*\})*\}/g, '{}')}`;
  });
}

const nameless = (operation: string): string => operation.replaceAll(/\{[^}]*\}/g, '{}');
const called = new Set([...filesFrom('panel/src/main.tsx', new Map()).values()].flatMap(callsIn).map(nameless));
const isCalled = (operation: string): boolean => called.has(nameless(operation));

describe('each operation of the API', () => {
  it('is called by a screen of the panel, or operations-without-screen.json gives a reason', () => {
    expect(operations.length).toBeGreaterThan(150);
    expect(operations.filter(operation => !isCalled(operation) && !WITHOUT_SCREEN[operation])).toEqual([]);
  });

  it('is in operations-without-screen.json only if it exists and no screen calls it', () => {
    expect(
      Object.keys(WITHOUT_SCREEN).filter(operation => isCalled(operation) || !operations.includes(operation)),
    ).toEqual([]);
  });

  it('exists in openapi.yaml if the panel calls it', () => {
    const known = new Set(operations.map(nameless));
    expect([...called].filter(call => !known.has(call) && call !== 'GET /openapi.json')).toEqual([]);
  });
});
