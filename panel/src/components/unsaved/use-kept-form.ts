import { useEffect, useState } from 'react';
import { readSession } from '../../session/session-cookies.js';
import { keptDraft, useKeptDraft } from './use-kept-draft.js';

interface KeptFormOptions<Input> {
  /** Names the form and what it changes, so that no other form gets the input. The user's name is added. */
  name: string;
  /** The typed values, without passwords and other secrets; null if nothing is unsaved. */
  input: Input | null;
  /** Fills the form again. */
  restore: (input: Input) => void;
  /** Called when the session ended and the input is kept. */
  onKept?: () => void;
}

/** Keeps what the user typed into a form, as `useKeptDraft` does, and fills the form again. */
export function useKeptForm<Input>({ name, input, restore, onKept }: KeptFormOptions<Input>): void {
  // The cookies are gone when the session has ended.
  const [username] = useState(() => readSession(document.cookie)?.username);
  const key = JSON.stringify([username, name]);
  // This effect is before the one of `useKeptDraft`, which deletes the draft.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new `restore` does not fill the form again.
  useEffect(() => {
    const before = keptDraft<Input>(key);
    if (before !== null) restore(before);
  }, [key]);
  useKeptDraft(key, input, 'Your entries in this form', onKept);
}
