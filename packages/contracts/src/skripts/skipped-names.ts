/**
 * Folders and files that an upload never stores, at any depth: installed packages (`node_modules`), the Git
 * history (`.git`), local settings (`.env`, `.env.local`, `.envrc`) and tokens (`dex8auth.json`, `.npmrc`).
 */
const PRIVATE = /^(node_modules|\.git|\.env.*|dex8auth\.json|\.npmrc)$/is;
/** The output of a build. Deeper folders of this name belong to copied libraries, which import them. */
const BUILT = /^dist\//i;

/** Returns the folder or file of a path that an upload never stores; null if there is none. */
export function privatePart(path: string): string | null {
  const parts = path.split('/');
  const at = parts.findIndex(part => PRIVATE.test(part));
  if (at === -1) return null;
  return parts.slice(0, at + 1).join('/') + (at < parts.length - 1 ? '/' : '');
}

/** Returns the build folder of a path inside a skript; null if the path is not in it. */
export const builtPart = (path: string): string | null => BUILT.exec(path)?.[0] ?? null;
