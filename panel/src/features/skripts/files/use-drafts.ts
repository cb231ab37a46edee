import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { ApiError } from '../../../api/api-error.js';
import type { SkriptFile } from '../../../api/entities.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { notifyError } from '../../../components/feedback/notify.js';
import { keptDraft, useKeptDraft } from '../../../components/unsaved/use-kept-draft.js';
import { skriptFileQuery } from './api/get-skript-file.js';
import { useUpdateSkriptFile } from './api/update-skript-file.js';

export interface Draft {
  name: string;
  content: string;
  /** Hash of the saved content that the user started from. */
  baseHash: string;
}

type Drafted = ReadonlyMap<string, Draft>;

/** A file that somebody else, or the user in another tab, saved while it had unsaved changes here. */
export interface Conflict {
  saved: SkriptFile;
  own: string;
}

export interface Drafts {
  /** Unsaved changes by file id. */
  drafted: Drafted;
  isDirty: boolean;
  isSaving: boolean;
  /** The first file whose last attempt to save found another text. */
  conflict: Conflict | null;
  change: (file: SkriptFile, content: string) => void;
  forget: (fileId: string) => void;
  /** A file that was deleted elsewhere before its unsaved changes could be saved. */
  deleted: { fileId: string; draft: Draft } | null;
  /** Saves every changed file. Resolves with true if all files were saved. */
  saveAll: () => Promise<boolean>;
  /** Ends the conflict: saves `content` over the saved text, or with null gives up the own changes. */
  resolve: (content: string | null) => Promise<void>;
  /** Hides the conflict or the deleted file. The changes stay unsaved. */
  postpone: () => void;
}

const keyOf = (skriptId: string): string => `files-${skriptId}`;

const without = (drafted: Drafted, fileId: string): Drafted => {
  const rest = new Map(drafted);
  rest.delete(fileId);
  return rest;
};

/** Unsaved changes of a skript's files. */
export function useDrafts(skriptId: string): Drafts {
  const queryClient = useQueryClient();
  const [drafted, setDrafted] = useState<Drafted>(() => new Map(keptDraft<[string, Draft][]>(keyOf(skriptId))));
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const [deletedId, setDeletedId] = useState<string | null>(null);
  const { mutateAsync: update, isPending: isSaving } = useUpdateSkriptFile();
  const isDirty = drafted.size > 0;
  const draft = useMemo(() => (drafted.size > 0 ? [...drafted] : null), [drafted]);
  const names = useMemo(() => [...drafted.values()].map(({ name }) => name), [drafted]);
  useKeptDraft(keyOf(skriptId), draft, 'Your changes to the files', undefined, names);

  const forget = (fileId: string) => setDrafted(current => without(current, fileId));

  /** Resolves with true if the file has this content now. */
  const save = async (fileId: string, { content, baseHash }: Draft): Promise<boolean> => {
    try {
      const { hash } = await update({ fileId, content, baseHash });
      setDrafted(current => {
        const now = current.get(fileId);
        // Keep the draft if the user changed the file again while it was being saved.
        return !now || now.content === content
          ? without(current, fileId)
          : new Map(current).set(fileId, { ...now, baseHash: hash });
      });
      return true;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.code === 'not_found') {
        setDeletedId(fileId);
        void queryClient.invalidateQueries({ queryKey: QUERY_KEYS.skripts });
        return false;
      }
      if (error.code !== 'precondition_failed') throw error;
    }
    const saved = await queryClient.fetchQuery({ ...skriptFileQuery(fileId), staleTime: 0 });
    if (saved.content !== content) {
      setConflict({ saved, own: content });
      return false;
    }
    forget(fileId);
    return true;
  };

  const saveOrNotify = (fileId: string, one: Draft): Promise<boolean> =>
    save(fileId, one).catch(error => {
      notifyError('The file could not be saved', error);
      return false;
    });

  const saveAll = async () => {
    for (const [fileId, one] of drafted) if (!(await saveOrNotify(fileId, one))) return false;
    return true;
  };

  const resolve = async (content: string | null) => {
    if (!conflict) return;
    const { id, name, hash } = conflict.saved;
    setConflict(null);
    if (content === null) return forget(id);
    const own = { name, content, baseHash: hash };
    setDrafted(current => new Map(current).set(id, own));
    await saveOrNotify(id, own);
  };

  const deleted = deletedId === null ? undefined : drafted.get(deletedId);
  return {
    drafted,
    isDirty,
    isSaving,
    conflict,
    deleted: deletedId !== null && deleted ? { fileId: deletedId, draft: deleted } : null,
    change: ({ id, name, content: saved, hash }, content) =>
      setDrafted(current =>
        content === saved
          ? without(current, id)
          : new Map(current).set(id, { name, content, baseHash: current.get(id)?.baseHash ?? hash }),
      ),
    forget,
    saveAll,
    resolve,
    postpone: () => {
      setConflict(null);
      setDeletedId(null);
    },
  };
}
