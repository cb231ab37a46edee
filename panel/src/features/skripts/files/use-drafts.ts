import { useMemo, useState } from 'react';
import { notifyError } from '../../../components/feedback/notify.js';
import { keptDraft, useKeptDraft } from '../use-kept-draft.js';
import { useUpdateSkriptFile } from './api/update-skript-file.js';

type Contents = ReadonlyMap<string, string>;

const keyOf = (skriptId: string): string => `files-${skriptId}`;

export interface Drafts {
  /** Unsaved contents by file id. */
  contents: Contents;
  isDirty: boolean;
  isSaving: boolean;
  change: (fileId: string, content: string, savedContent: string) => void;
  forget: (fileId: string) => void;
  /** Saves every changed file. Resolves with true if all files were saved. */
  saveAll: () => Promise<boolean>;
}

const without = (contents: Contents, fileId: string): Contents => {
  const rest = new Map(contents);
  rest.delete(fileId);
  return rest;
};

/** Unsaved changes of a skript's files. */
export function useDrafts(skriptId: string): Drafts {
  const [contents, setContents] = useState<Contents>(() => new Map(keptDraft<[string, string][]>(keyOf(skriptId))));
  const { mutateAsync: update, isPending: isSaving } = useUpdateSkriptFile();
  const isDirty = contents.size > 0;

  const draft = useMemo(() => (contents.size > 0 ? [...contents] : null), [contents]);
  useKeptDraft(keyOf(skriptId), draft, 'Your changes to the files');

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
