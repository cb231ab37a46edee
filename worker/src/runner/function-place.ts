import type { Session } from 'node:inspector';
import { builtin } from '../builtin.js';

interface Location {
  scriptId: string;
  lineNumber: number;
  columnNumber: number;
}

/**
 * Where a function stands in the bundle, counting from 1; null when it is of another script than `sibling`, as a
 * function of a library is. Asked of V8's inspector, in this process, only when there is something to report.
 */
export function functionPlace(of: unknown, sibling: unknown): { line: number; column: number } | null {
  const session = new (builtin('node:inspector').Session)();
  session.connect();
  try {
    const place = locate(session, of);
    const other = locate(session, sibling);
    if (!place || !other || place.scriptId !== other.scriptId) return null;
    return { line: place.lineNumber + 1, column: place.columnNumber + 1 };
  } finally {
    session.disconnect();
  }
}

const HANDLE = '__trawl_function_place';

function locate(session: Session, of: unknown): Location | null {
  if (typeof of !== 'function') return null;
  let location: Location | null = null;
  Object.defineProperty(globalThis, HANDLE, { value: of, configurable: true });
  try {
    // Both calls answer before they return: the inspector of one's own process is synchronous.
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
