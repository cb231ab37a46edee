/**
 * Folders and files that no upload stores, no run gets and no download writes, at any depth: installed packages
 * (`node_modules`), the Git history (`.git`), what the command line keeps (`.trawl`), local settings (`.env`,
 * `.env.local`, `.envrc`), and settings of package managers, which hold tokens and choose programs to run.
 */
const PRIVATE = /^(node_modules|\.git|\.trawl|\.env.*|dex8auth\.json|\.npmrc|\.yarnrc(\.yml)?)$/is;
/** Usual names of folders and files with passwords, tokens and private keys. */
const CREDENTIALS = new RegExp(
  `^(${[
    String.raw`\.(aws|azure|docker|gcloud|gnupg|kube|ssh)`,
    String.raw`[._]netrc|\.(git-credentials|pypirc|pgpass|my\.cnf|dockercfg|htpasswd|boto|s3cfg|vault-token)`,
    // The public half of a key may be stored.
    String.raw`id_(rsa|dsa|ecdsa|ed25519)(?!.*\.pub$).*`,
    String.raw`.+\.(pem|key|p12|pfx|jks|keystore|ppk|kdbx|env)`,
  ].join('|')})$`,
  'is',
);
/** The output of a build. Deeper folders of this name belong to copied libraries, which import them. */
const BUILT = /^dist\//i;

/** Returns the folder or file of a path that is private; null if there is none. */
export const privatePart = (path: string): string | null => partLike(PRIVATE, path);

/** Returns the folder or file of a path that an upload never stores; null if there is none. */
export const skippedPart = (path: string): string | null => privatePart(path) ?? partLike(CREDENTIALS, path);

/** Returns the build folder of a path inside a skript; null if the path is not in it. */
export const builtPart = (path: string): string | null => BUILT.exec(path)?.[0] ?? null;

/** The temporary folder in each run's folder. */
const TEMPORARY = 'tmp';
const SECRET = /(^|\/)inputsecret/i;

/** Returns whether runs find this file of a skript in their folder, unless it is code that the bundle contains. */
export const isRunFile = (name: string): boolean =>
  name !== TEMPORARY && !SECRET.test(name) && privatePart(name) === null;

function partLike(name: RegExp, path: string): string | null {
  const parts = path.split('/');
  const at = parts.findIndex(part => name.test(part));
  if (at === -1) return null;
  return parts.slice(0, at + 1).join('/') + (at < parts.length - 1 ? '/' : '');
}
