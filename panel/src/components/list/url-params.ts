import { useLayoutEffect, useRef } from 'react';
import { useSearchParams } from 'react-router';

export interface UrlParams {
  /** Returns '' for a missing parameter. */
  get: (name: string) => string;
  /** Changes parameters; null and '' remove one. Adds no entry to the browser's history. */
  set: (changes: Record<string, string | null>) => void;
  /** Changes parameters like `set`, but the Back button undoes it. */
  go: (changes: Record<string, string | null>) => void;
}

/** Keeps the state of a screen in the URL, so that users can share it, and it is the same after the Back button. */
export function useUrlParams(): UrlParams {
  const [params, setParams] = useSearchParams();
  // A change may come after an answer of the API, from a render that is no longer the last one.
  const latest = useRef(params);
  useLayoutEffect(() => {
    latest.current = params;
  });
  const change = (changes: Record<string, string | null>, replace: boolean) => {
    const next = new URLSearchParams(latest.current);
    for (const [name, value] of Object.entries(changes)) {
      if (value === null || value === '') next.delete(name);
      else next.set(name, value);
    }
    setParams(next, { replace });
  };
  return {
    get: name => params.get(name) ?? '',
    set: changes => change(changes, true),
    go: changes => change(changes, false),
  };
}
