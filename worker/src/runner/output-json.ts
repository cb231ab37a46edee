/** Error: the output cannot be represented as JSON. The message names the part of the output that is the problem. */
export class OutputNotJsonError extends Error {}

/**
 * Converts an output to JSON text; `undefined` becomes `null`. `JSON.stringify` silently drops functions and symbols;
 * this function rejects them, as well as BigInts and circular references.
 *
 * @throws OutputNotJsonError
 */
export function outputJson(output: unknown): string {
  try {
    return JSON.stringify(output, refuseUnwritable) ?? 'null';
  } catch (error) {
    const problem = findProblem(output, 'output', []);
    if (problem) throw new OutputNotJsonError(problem);
    if (error instanceof RangeError) throw new OutputNotJsonError('output is nested too deeply to be written as JSON.');
    // A getter or a `toJSON` function of the skript has thrown this error, so report the error itself.
    throw error;
  }
}

function refuseUnwritable(_key: string, value: unknown): unknown {
  if (unwritable(value)) throw new OutputNotJsonError('');
  return value;
}

const unwritable = (value: unknown): boolean =>
  typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint';

const MAX_DEPTH = 500;

function findProblem(value: unknown, path: string, parents: object[]): string | null {
  if (typeof value === 'bigint')
    return `${path} is a BigInt (${value}n), which JSON cannot hold. Return a string or a number.`;
  if (unwritable(value)) return `${path} is a ${typeof value}, which JSON cannot hold.`;
  if (typeof value !== 'object' || value === null) return null;
  if (parents.includes(value)) return `${path} refers back to an object that contains it, which JSON cannot hold.`;
  if (parents.length > MAX_DEPTH) return null;
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === 'function') return findProblem(toJSON.call(value, ''), path, [...parents, value]);
  for (const key of Object.keys(value)) {
    const step = Array.isArray(value)
      ? `[${key}]`
      : /^[A-Za-z_$][\w$]*$/.test(key)
        ? `.${key}`
        : `[${JSON.stringify(key)}]`;
    const problem = findProblem((value as Record<string, unknown>)[key], path + step, [...parents, value]);
    if (problem) return problem;
  }
  return null;
}
