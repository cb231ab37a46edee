import { useEffect, useState } from 'react';
import { notifyError } from '../../../components/feedback/notify.js';
import { onSessionEnd } from '../../../session/session-end.js';
import { useUpdateSkriptFile } from './api/update-skript-file.js';
import { discardDrafts, loadDrafts, storeDrafts } from './draft-storage.js';

export interface Drafts {
  /** Unsaved contents by file id. */
  contents: ReadonlyMap<string, string>;
  isDirty: boolean;
  isSaving: boolean;
  change: (fileId: string, content: string, savedContent: string) => void;
  forget: (fileId: string) => void;
  /** Saves every changed file. Resolves with true if all files were saved. */
  saveAll: () => Promise<boolean>;
}

const without = (contents: ReadonlyMap<string, string>, fileId: string): ReadonlyMap<string, string> => {
  const rest = new Map(contents);
  rest.delete(fileId);
  return rest;
};

/**
 * Unsaved changes of a skript's files. Warns before the user closes the tab, and keeps the changes when the session
 * ends.
 */
export function useDrafts(skriptId: string): Drafts {
  const [contents, setContents] = useState(() => loadDrafts(skriptId));
  const { mutateAsync: update, isPending: isSaving } = useUpdateSkriptFile();
  const isDirty = contents.size > 0;

  useEffect(() => {
    if (!isDirty) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isDirty]);

  useEffect(() => discardDrafts(skriptId), [skriptId]);
  useEffect(
    () =>
      onSessionEnd(() => {
        if (contents.size > 0) storeDrafts(skriptId, contents);
      }),
    [skriptId, contents],
  );

  const saveAll = async () => {
    for (const [fileId, content] of contents) {
      try {
        await update({ fileId, content });
      } catch (error) {
        notifyError('The file could not be saved', error);
        return false;
      }
      // Keep the draft if the user changed the file again while it was being saved.
      setContents(current => (current.get(fileId) === content ? without(current, fileId) : current));
    }
    return true;
  };

  return {
    contents,
    isDirty,
    isSaving,
    change: (fileId, content, savedContent) =>
      setContents(current =>
        content === savedContent ? without(current, fileId) : new Map(current).set(fileId, content),
      ),
    forget: fileId => setContents(current => without(current, fileId)),
    saveAll,
  };
}
