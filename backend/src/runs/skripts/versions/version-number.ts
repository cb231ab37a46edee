/** SQL: the number of a version of a skript. Null for a deleted version. */
export const versionNumber = (skriptId: string, hash: string): string =>
  `(SELECT v.number FROM skript_bundles v WHERE v.skript_id = ${skriptId} AND v.hash = ${hash})`;

export const NUMBER_DESCRIPTION =
  'Number of the version: 1, 2, 3, in the order in which the versions of the skript were first built.';
