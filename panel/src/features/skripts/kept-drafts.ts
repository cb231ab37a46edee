/** Where drafts wait, in this tab only, while somebody whose session has ended signs in again. */
const keyOf = (skriptId: string): string => `trawl-drafts-${skriptId}`;

type Contents = ReadonlyMap<string, string>;

export function keepDrafts(skriptId: string, contents: Contents): void {
  sessionStorage.setItem(keyOf(skriptId), JSON.stringify([...contents]));
}

export function keptDrafts(skriptId: string): Contents {
  const text = sessionStorage.getItem(keyOf(skriptId));
  return new Map(text === null ? [] : (JSON.parse(text) as [string, string][]));
}

export const forgetKeptDrafts = (skriptId: string): void => sessionStorage.removeItem(keyOf(skriptId));
