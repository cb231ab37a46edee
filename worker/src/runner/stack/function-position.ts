import type { Session } from 'node:inspector';
import { builtin } from '../node/builtin.js';

interface Location {
  scriptId: string;
  lineNumber: number;
  columnNumber: number;
}

/**
 * Uses V8's inspector to find the line and column of a function in the bundle, both counted from 1. `sibling` is a
 * function that is known to be in the bundle. Returns null if `fn` is in another script, for example in a library.
 */
export function functionPosition(fn: unknown, sibling: unknown): { line: number; column: number } | null {
  const session = new (builtin('node:inspector').Session)();
  session.connect();
  try {
    const location = locate(session, fn);
    const other = locate(session, sibling);
    if (!location || !other || location.scriptId !== other.scriptId) return null;
    return { line: location.lineNumber + 1, column: location.columnNumber + 1 };
  } finally {
    session.disconnect();
  }
}

const HANDLE = '__trawl_function_position';

function locate(session: Session, fn: unknown): Location | null {
  if (typeof fn !== 'function') return null;
  let location: Location | null = null;
  Object.defineProperty(globalThis, HANDLE, { value: fn, configurable: true });
  try {
    // These callbacks are called synchronously, because the inspector session is connected to its own process.
    session.post('Runtime.evaluate', { expression: `globalThis.${HANDLE}` }, (failed, evaluated) => {
      const objectId = evaluated?.result.objectId;
      if (failed || !objectId) return;
      session.post('Runtime.getProperties', { objectId, ownProperties: true }, (_failed, properties) => {
        const internal = properties?.internalProperties?.find(({ name }) => name === '[[FunctionLocation]]');
        location = (internal?.value?.value as Location | undefined) ?? null;
      });
    });
  } finally {
    Reflect.deleteProperty(globalThis, HANDLE);
  }
  return location;
}
