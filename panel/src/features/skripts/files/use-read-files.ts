import { useQueryClient } from '@tanstack/react-query';
import type { CodeFile } from '@trawl/type-check';
import type { Skript } from '../../../api/entities.js';
import { skriptFileQuery } from './api/get-skript-file.js';
import type { Drafts } from './use-drafts.js';

/** Files whose names and values the editor suggests in other files. */
const CAN_BE_IMPORTED = /\.(?:[cm]?[jt]sx?|json)$/;
const MOST_FILES_READ = 50;

/** Returns a function that reads the files that code may import, with unsaved changes, all but the given one. */
export function useReadFiles(skript: Skript, drafts: Drafts): (besides?: string) => Promise<CodeFile[]> {
  const queryClient = useQueryClient();
  return besides =>
    Promise.all(
      skript.files
        .filter(({ id, name }) => id !== besides && CAN_BE_IMPORTED.test(name))
        .slice(0, MOST_FILES_READ)
        .map(async ({ id, name }) => {
          const content = drafts.drafted.get(id)?.content;
          return { name, content: content ?? (await queryClient.fetchQuery(skriptFileQuery(id))).content };
        }),
    );
}
