/** The reason why npm failed. It contains no addresses of a registry and no paths, because users must not see those. */
export interface NpmFailure {
  /**
   * npm's own code, such as `E404`, or Trawl's `time_limit`, `cpu_limit`, `size_limit`, `file_limit`, `ended`, or
   * `EANSWER`: the registry sent something else than what npm asked for.
   */
  code: string;
  /** Name of the library, such as `left-pad` or `left-pad@^9.0.0`; null if npm gives none. */
  library: string | null;
  text: string;
}

/** Codes of network errors and of errors of the registry. After these a retry may help. */
const TRANSIENT =
  /^(?:E(?:ANSWER|MAXREDIRECT|INVALIDREDIRECT|PRIVATEREDIRECT|CONN|AI_|TIMEDOUT|SOCKET|PIPE|NOTFOUND|HOSTUNREACH|NETUNREACH|5\d\d|429|408)|ERR_SOCKET|FETCH|CERT|ERR_TLS|SELF_SIGNED|UNABLE_TO)/;

export const isTransient = ({ code }: NpmFailure): boolean => TRANSIENT.test(code);

/** How npm refuses to read the name or version of a dependency. It knows no code for aliases. */
const UNREADABLE_CODES = new Set(['EUNSUPPORTEDPROTOCOL', 'EINVALIDPACKAGENAME', 'EINVALIDTAGNAME']);
const UNREADABLE_ALIAS = /^(?:aliases only work for registry deps|nested aliases not supported)/;

/** How npm fails at a dependency with the name of a property that every object has. */
const UNREADABLE_NAME = 'accept field must be a string if provided';

interface RawNpmError {
  code?: unknown;
  message?: unknown;
  pkgid?: unknown;
  package?: unknown;
  requiredBy?: unknown;
  uri?: unknown;
  edge?: { name?: unknown; spec?: unknown; from?: { name?: unknown; version?: unknown } };
  current?: { name?: unknown; version?: unknown };
}

/** The failure of libraries that need more of the disk than they may use. The caller knows the limit and how to raise it. */
export const limitFailure = (code: 'size_limit' | 'file_limit', library: string | null): NpmFailure => ({
  code,
  library,
  text:
    library === null
      ? `The package lists and archives of these libraries and their dependencies need more ${code === 'size_limit' ? 'disk space' : 'files'} than allowed. Name fewer libraries, or libraries with fewer dependencies.`
      : `The libraries need more ${code === 'size_limit' ? 'disk space' : 'files and folders'} than allowed; ${library} needs the most.`,
});

/** Converts an error of npm to a message for the author of package.json. */
export function failureOf(thrown: unknown): NpmFailure {
  const error = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as RawNpmError;
  const library = libraryOf(error);
  // npm reads the name in the answer.
  if (library === 'undefined') return { code: 'EANSWER', library: null, text: textOf('EANSWER', null, error) };
  const code = typeof error.code === 'string' ? error.code : 'unknown';
  return { code, library, text: textOf(code, library, error) };
}

function textOf(code: string, library: string | null, error: RawNpmError): string {
  const named = library ?? 'a library';
  if (code === 'E404') return `The npm registry has no library ${named}. Check the spelling of the name.`;
  if (code === 'ETARGET' || code === 'ENOVERSIONS') {
    return `The npm registry has no version that matches ${named}. Choose a version that exists.`;
  }
  if (code.startsWith('EALLOW')) {
    return `${named} does not come from the npm registry${neededBy(error)}; libraries of skripts and their dependencies must come from there.`;
  }
  const message = textIf(error.message)?.slice(0, 300) ?? '';
  if (UNREADABLE_CODES.has(code) || UNREADABLE_ALIAS.test(message)) {
    return `One of these libraries needs another one by a name or version that npm does not accept: ${message.replace(/\.$/, '')}. Name a library without it, or another version of it.`;
  }
  if (message === UNREADABLE_NAME) {
    return 'One of these libraries needs another one with a name that npm cannot read, such as "constructor" or "toString". Name a library without it, or another version of it.';
  }
  if (code === 'ERESOLVE') return conflict(error);
  if (code === 'EINTEGRITY') {
    return `The archive of ${named} from the npm registry does not match the hash in the lock (EINTEGRITY). Trawl installed nothing.`;
  }
  if (code === 'EPRIVATEREDIRECT') {
    return 'The npm registry redirects to another host in a private network (EPRIVATEREDIRECT). Trawl does not connect to it, because the owner of the registry could reach your network in this way. Configure a registry that sends its packages itself.';
  }
  if (code === 'EMAXREDIRECT' || code === 'EINVALIDREDIRECT') {
    return `The npm registry redirects without an end, or to nothing (${code}).`;
  }
  if (code === 'EANSWER') {
    return 'The npm registry sent something else than the list of versions of a library. Its address may be wrong, or a proxy answers instead of it.';
  }
  if (code === 'EBADPLATFORM') return `${named} does not support this system.`;
  if (code === 'E401' || code === 'E403') return `The npm registry denies access to ${named} (${code}).`;
  if (TRANSIENT.test(code)) return `The npm registry is unreachable or returned an error (${code}).`;
  return `npm could not get ${named} (${code}).`;
}

function conflict({ edge, current }: RawNpmError): string {
  const needing = idOf(edge?.from);
  const needed = `${textIf(edge?.name) ?? 'another library'}@${textIf(edge?.spec) ?? '?'}`;
  const present = idOf(current);
  return `${needing ?? 'One of the libraries'} needs ${needed}, which conflicts with ${present ?? 'the other libraries'}. Choose compatible versions.`;
}

const neededBy = ({ requiredBy }: RawNpmError): string => {
  const folder = textIf(requiredBy);
  return folder && folder !== '.' ? ` (${folder.replace(/^.*node_modules\//, '')} needs it)` : '';
};

function libraryOf({ pkgid, package: spec, message, uri }: RawNpmError): string | null {
  const said = textIf(pkgid) ?? textIf(spec);
  if (said !== null && URL.canParse(said) && /^https?:/.test(said)) return nameIn(new URL(said).pathname);
  if (said !== null) return said.replace(/@(?:file|link):.*/, '').slice(0, 200);
  const version = /^No (?:matching |valid )?versions? \S+ for (\S+?)\.?$/.exec(textIf(message) ?? '');
  if (version?.[1]) return version[1].slice(0, 200);
  return typeof uri === 'string' && URL.canParse(uri) ? nameIn(new URL(uri).pathname) : null;
}

/** Finds the name of a library in a registry's path to its archive or its list of versions. */
function nameIn(path: string): string | null {
  const name = /((?:@[^/]+(?:\/|%2f))?[^/@]+)(?:\/-\/[^/]+\.tgz)?$/i.exec(path)?.[1];
  return name ? decodeURIComponent(name.replaceAll(/%(?!2f|40)/gi, '')).slice(0, 200) : null;
}

const idOf = (node: { name?: unknown; version?: unknown } | undefined): string | null => {
  const name = textIf(node?.name);
  const version = textIf(node?.version);
  return name && version ? `${name}@${version}` : null;
};

const textIf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
