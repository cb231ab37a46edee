import { isMainFile } from '@trawl/contracts';

export interface TreeFile {
  id: string;
  name: string;
}

/** A file or a folder. `label` is the last part of the name, `path` is the whole name with all folders. */
export type TreeEntry =
  | { kind: 'file'; label: string; path: string; id: string }
  | { kind: 'folder'; label: string; path: string; children: TreeEntry[] };

/** Sorts the file in which runs start first, then folders, then files, each by name. */
const order = (one: TreeEntry, other: TreeEntry): number => {
  const rank = (entry: TreeEntry) => (isMainFile(entry.path) ? 0 : entry.kind === 'folder' ? 1 : 2);
  return rank(one) - rank(other) || one.label.localeCompare(other.label);
};

/** Builds a tree from file names with slashes. */
export function fileTree(files: readonly TreeFile[], parent = ''): TreeEntry[] {
  const entries: TreeEntry[] = [];
  const folders = new Map<string, TreeFile[]>();
  for (const file of files) {
    const rest = file.name.slice(parent.length);
    const slash = rest.indexOf('/');
    if (slash === -1) {
      entries.push({ kind: 'file', label: rest, path: file.name, id: file.id });
    } else {
      const folder = rest.slice(0, slash);
      folders.set(folder, [...(folders.get(folder) ?? []), file]);
    }
  }
  for (const [label, inside] of folders) {
    const path = `${parent}${label}`;
    entries.push({ kind: 'folder', label, path, children: fileTree(inside, `${path}/`) });
  }
  return entries.sort(order);
}
