import { useEffect } from 'react';
import { onSessionEnd } from '../../session/session-end.js';
import { notifyError, notifySuccess } from '../feedback/notify.js';
import { useUnsavedWork } from './unsaved-work.js';

const storageKey = (key: string): string => `trawl-draft-${key}`;

/** Reads the draft that was unsaved when the session ended, or null. Use it for the initial state of an editor. */
export function keptDraft<T>(key: string): T | null {
  const text = sessionStorage.getItem(storageKey(key));
  return text === null ? null : (JSON.parse(text) as T);
}

export const keepDraft = (key: string, draft: unknown): void =>
  sessionStorage.setItem(storageKey(key), JSON.stringify(draft));

export const forgetDraft = (key: string): void => sessionStorage.removeItem(storageKey(key));

/**
 * Guards unsaved changes: asks before the user leaves them, and if the session ends, keeps them in the session storage
 * until the user has signed in again. Tells the user when they are back.
 *
 * @param key names the editor. It contains the skript's id or the user's name, so that another user never gets the draft.
 * @param draft the unsaved changes; null if there are none.
 * @param subject subject of the message, such as "Your changes to the files".
 * @param onKept called when the session ended and the draft is kept.
 * @param names what is not saved, such as the names of files.
 */
export function useKeptDraft(
  key: string,
  draft: unknown,
  subject: string,
  onKept?: () => void,
  names?: readonly string[],
): void {
  useUnsavedWork(draft !== null, false, names);
  useEffect(() => {
    if (keptDraft(key) === null) return;
    notifySuccess(`${subject} from before you signed in are back. They are not saved yet.`);
    forgetDraft(key);
  }, [key, subject]);
  useEffect(
    () =>
      onSessionEnd(() => {
        if (draft === null) return;
        try {
          keepDraft(key, draft);
          onKept?.();
        } catch (error) {
          // Browsers keep about 5 MB for a site.
          notifyError(`${subject} could not be kept: your session ended`, error);
        }
      }),
    [key, draft, subject, onKept],
  );
}
