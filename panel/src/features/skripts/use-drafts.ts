import { useEffect, useState } from 'react';
import { noticeFailed } from '../../components/notices.js';
import { useUpdateSkriptFile } from './api/update-skript-file.js';

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

/** What was typed into the files of a skript and is not saved. Warns before the tab is closed over it. */
export function useDrafts(): Drafts {
  const [contents, setContents] = useState<ReadonlyMap<string, string>>(new Map());
  const { mutateAsync: update, isPending: isSaving } = useUpdateSkriptFile();
  const isDirty = contents.size > 0;

  useEffect(() => {
    if (!isDirty) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [isDirty]);

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
