import { useIsFetching } from '@tanstack/react-query';
import { isMainFile } from '@trawl/contracts';
import { useEffect, useRef, useState } from 'react';
import type { Skript } from '../../../api/entities.js';
import { skriptQuery } from '../../../api/requests/get-skript.js';
import { useUrlParams } from '../../../components/list/url-params.js';

type SkriptFile = Skript['files'][number];

const byMainFirst = (files: SkriptFile[]) => files.find(file => isMainFile(file.name)) ?? files[0];

export interface OpenFile {
  /** The file that the editor shows; undefined if the skript has no files. */
  open: SkriptFile | undefined;
  /** Name of the file in the address that does not exist, if another one is shown in its place. */
  missingName: string | null;
  /** Opens a file, so that the Back button returns to the one before. */
  openFile: (file: { id: string; name: string }) => void;
  /** Removes a deleted file from the address. */
  closeFile: (file: { name: string }) => void;
}

/** Keeps the open file in the address. Its id keeps it open while a rename is on the way to the address. */
export function useOpenFile(skript: Skript): OpenFile {
  const params = useUrlParams();
  const [chosenId, setChosenId] = useState<string | null>(null);
  const [followed, setFollowed] = useState<string | null>(null);
  const [missing, setMissing] = useState<{ name: string; shownId: string } | null>(null);

  const named = params.get('file');
  if (named !== followed) {
    setFollowed(named);
    setChosenId(skript.files.find(({ name }) => name === named)?.id ?? null);
  }
  const open = skript.files.find(file => file.id === chosenId) ?? byMainFirst(skript.files);

  const isGone = named !== '' && chosenId === null && skript.files.every(({ name }) => name !== named);
  // The skript may be from the cache, and the file newer.
  const isLoading = useIsFetching({ queryKey: skriptQuery(skript.id).queryKey }) > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: changes the address once per missing file.
  useEffect(() => {
    if (!isGone || isLoading || !open) return;
    setMissing({ name: named, shownId: open.id });
    params.set({ file: open.name, line: null, column: null });
  }, [isGone, isLoading, named]);

  const shown = useRef({ id: open?.id, name: open?.name });
  // biome-ignore lint/correctness/useExhaustiveDependencies: changes the address once per new name.
  useEffect(() => {
    const before = shown.current;
    shown.current = { id: open?.id, name: open?.name };
    // The file was renamed, perhaps in another tab.
    if (open && open.id === before.id && before.name === named && open.name !== named) params.set({ file: open.name });
  }, [open?.id, open?.name]);

  return {
    open,
    missingName: isGone ? named : missing && missing.shownId === open?.id ? missing.name : null,
    openFile: ({ id, name }) => {
      if (id === open?.id) return;
      setChosenId(id);
      setMissing(null);
      params.go({ file: name, line: null, column: null });
    },
    closeFile: ({ name }) => {
      if (name === named) params.set({ file: null, line: null, column: null });
    },
  };
}
