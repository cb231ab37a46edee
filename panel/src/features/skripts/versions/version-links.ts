/** Stands for the files as they are saved now, where the API takes the hash of a version. */
export const CURRENT = 'current';

/** Parameters of the editor's address that open the comparison of two versions. */
export const comparing = (from: string, to: string): Record<string, string | null> => ({
  tab: 'versions',
  version: null,
  from,
  to,
});

/** Parameters of the editor's address that open the files of a version. Null opens the files as they are now. */
export const viewing = (hash: string | null): Record<string, string | null> => ({
  tab: null,
  version: hash,
  file: null,
  line: null,
  column: null,
});
