import { useEffect, useState } from 'react';
import { readSession } from '../../session/session-cookies.js';
import { forgetDraft, keepDraft, keptDraft } from './use-kept-draft.js';

/** Another user of the same browser tab never gets the input. */
const keyOf = (name: string): string => JSON.stringify([readSession(document.cookie)?.username, name]);

interface StoredFormOptions<Input> {
  /** Names the form and what it is about, so that no other form gets the input. */
  name: string;
  /** The typed values, without passwords and other secrets; null before the first change. */
  input: Input | null;
  /** Fills the form again. */
  restore: (input: Input) => void;
}

/**
 * Stores each change of a form in the session storage, and fills the form again after a reload or a visit of other
 * pages. As leaving the form loses nothing, the panel does not ask before. `forgetStoredForm` deletes the input.
 */
export function useStoredForm<Input>({ name, input, restore }: StoredFormOptions<Input>): void {
  // The cookies are gone when the session has ended.
  const [key] = useState(() => keyOf(name));
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new `restore` does not fill the form again.
  useEffect(() => {
    const before = keptDraft<Input>(key);
    if (before !== null) restore(before);
  }, [key]);
  useEffect(() => {
    if (input === null) return;
    try {
      keepDraft(key, input);
    } catch {
      // The storage of the browser is full or disabled. The form works without it.
    }
  }, [key, input]);
}

export const forgetStoredForm = (name: string): void => forgetDraft(keyOf(name));
