import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { plainText } from '@trawl/contracts';
import { useState } from 'react';
import { api, unwrap } from '../../../api/client.js';
import { QUERY_KEYS } from '../../../api/query-keys.js';
import { skriptFileKey, skriptFileQuery } from '../files/api/get-skript-file.js';
import type { PlannedFile } from './plan-files.js';

/** Returns the text that Trawl stores for a file: its content, or a data URL if that is not text. */
async function textOf(bytes: Uint8Array): Promise<string> {
  const text = plainText(bytes);
  if (text !== null) return text;
  const reader = new FileReader();
  return new Promise((resolve, reject) => {
    reader.onload = () => resolve(reader.result as string);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(new Blob([new Uint8Array(bytes)], { type: 'application/octet-stream' }));
  });
}

async function saveFile(queryClient: QueryClient, skriptId: string, file: PlannedFile): Promise<void> {
  const { name, replacedId } = file;
  const content = await textOf(file.bytes);
  if (replacedId === null) {
    await unwrap(api.POST('/joint-api/skript-files/addnew', { body: { skript_id: skriptId, name, content } }));
    return;
  }
  const replaced = await queryClient.fetchQuery({ ...skriptFileQuery(replacedId), staleTime: 0 });
  if (replaced.content === content) return;
  const saved = await unwrap(
    api.PUT('/joint-api/skript-files/{skriptFile_id}', {
      params: { path: { skriptFile_id: replacedId }, header: { 'If-Match': `"${replaced.hash}"` } },
      body: { content },
    }),
  );
  queryClient.setQueryData(skriptFileKey(replacedId), saved);
}

/** Saves files one after the other. After an error, the next call continues with the file that failed. */
export function useSavePlannedFiles(skriptId: string, files: PlannedFile[], onSaved: (file: PlannedFile) => void) {
  const queryClient = useQueryClient();
  const [saved, setSaved] = useState<ReadonlySet<string>>(new Set());
  const save = useMutation({
    mutationFn: async () => {
      for (const file of files.filter(({ name }) => !saved.has(name))) {
        await saveFile(queryClient, skriptId, file).catch(error => {
          throw new Error(`${file.name}: ${(error as Error).message}`, { cause: error });
        });
        onSaved(file);
        setSaved(current => new Set(current).add(file.name));
      }
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: QUERY_KEYS.skripts }),
  });
  return { ...save, savedCount: saved.size };
}
