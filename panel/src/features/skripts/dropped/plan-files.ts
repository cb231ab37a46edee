import type { Skript } from '../../../api/entities.js';
import type { Dropped } from './read-dropped.js';
import type { DroppedFile } from './unpack.js';

export interface PlannedFile extends DroppedFile {
  /** Id of the file that it replaces; null for a new file. */
  replacedId: string | null;
}

interface Plan {
  files: PlannedFile[];
  /** Names of files that a skript keeps elsewhere: its settings, inputs and input secrets. */
  elsewhere: string[];
}

/** As in the API. */
const ELSEWHERE = /^(manifest\.json|input[^/]*\.json)$|(^|\/)inputsecret/i;

/** Returns what happens to each dropped file if it is added to a skript. */
export function planFiles({ files }: Dropped, skript: Skript): Plan {
  const ids = new Map(skript.files.map(({ name, id }) => [name, id]));
  return {
    files: files
      .filter(({ name }) => !ELSEWHERE.test(name))
      .map(file => ({ ...file, replacedId: ids.get(file.name) ?? null })),
    elsewhere: files.map(({ name }) => name).filter(name => ELSEWHERE.test(name)),
  };
}
