/** Returns the key of a skript's unsaved changes. The session storage keeps them while the user signs in again. */
const keyOf = (skriptId: string): string => `trawl-drafts-${skriptId}`;

type Contents = ReadonlyMap<string, string>;

export function storeDrafts(skriptId: string, contents: Contents): void {
  sessionStorage.setItem(keyOf(skriptId), JSON.stringify([...contents]));
}

export function loadDrafts(skriptId: string): Contents {
  const text = sessionStorage.getItem(keyOf(skriptId));
  return new Map(text === null ? [] : (JSON.parse(text) as [string, string][]));
}

export const discardDrafts = (skriptId: string): void => sessionStorage.removeItem(keyOf(skriptId));
