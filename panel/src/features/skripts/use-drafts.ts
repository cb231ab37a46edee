import { useEffect, useState } from 'react';
import { noticeFailed } from '../../components/notices.js';
import { onSessionEnd } from '../../session/session-end.js';
import { useUpdateSkriptFile } from './api/update-skript-file.js';
import { forgetKeptDrafts, keepDrafts, keptDrafts } from './kept-drafts.js';

export interface Drafts {
  /** Changed contents by file id. */
  contents: ReadonlyMap<string, string>;
  isDirty: boolean;
  isSaving: boolean;
  change: (fileId: string, content: string, savedContent: string) => void;
  forget: (fileId: string) => void;
  /** Saves every changed file; answers whether all were saved. */
  saveAll: () => Promise<boolean>;
}

const without = (contents: ReadonlyMap<string, string>, fileId: string): ReadonlyMap<string, string> => {
  const rest = new Map(contents);
  rest.delete(fileId);
  return rest;
};

/**
 * What was typed into the files of a skript and is not saved. Warns before the tab is closed over it, and outlives the
 * end of a session.
 */
export function useDrafts(skriptId: string): Drafts {
  const [contents, setContents] = useState(() => keptDrafts(skriptId));
  const { mutateAsync: update, isPending: isSaving } = useUpdateSkriptFile();
  const isDirty = contents.size > 0;

  useEffect(() => {
    if (!isDirty) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isDirty]);

  useEffect(() => forgetKeptDrafts(skriptId), [skriptId]);
  useEffect(
    () =>
      onSessionEnd(() => {
        if (contents.size > 0) keepDrafts(skriptId, contents);
      }),
    [skriptId, contents],
  );

  const saveAll = async () => {
    for (const [fileId, content] of contents) {
      try {
        await update({ fileId, content });
      } catch (error) {
        noticeFailed('The file could not be saved', error);
        return false;
      }
      // What was typed while it was being saved is still a change.
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
