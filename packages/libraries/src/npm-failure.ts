/** Why npm could not do it, without what may be the operator's own matter: no address of a registry, no path. */
export interface NpmFailure {
  /** npm's own code, such as `E404`; `time_limit`, `size_limit`, `ended` are ours. */
  code: string;
  /** Such as `left-pad` or `left-pad@^9.0.0`; null where npm does not say. */
  library: string | null;
  text: string;
}

/** Codes of the network and of a registry that has a bad moment: another try may help. */
const PASSING =
  /^(?:E(?:CONN|AI_|TIMEDOUT|SOCKET|PIPE|NOTFOUND|HOSTUNREACH|NETUNREACH|5\d\d|429|408)|ERR_SOCKET|FETCH|CERT|ERR_TLS|SELF_SIGNED|UNABLE_TO)/;

export const mayPass = ({ code }: NpmFailure): boolean => PASSING.test(code);

interface NpmError {
  code?: unknown;
  message?: unknown;
  pkgid?: unknown;
  package?: unknown;
  requiredBy?: unknown;
  uri?: unknown;
  edge?: { name?: unknown; spec?: unknown; from?: { name?: unknown; version?: unknown } };
  current?: { name?: unknown; version?: unknown };
}

/** What an error of npm says, in words for whoever wrote the package.json. */
export function failureOf(thrown: unknown): NpmFailure {
  const error = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as NpmError;
  const code = typeof error.code === 'string' ? error.code : 'unknown';
  const library = libraryOf(error);
  return { code, library, text: textOf(code, library, error) };
}

function textOf(code: string, library: string | null, error: NpmError): string {
  const named = library ?? 'a library';
  if (code === 'E404') return `The npm registry has no library ${named}. Look at how its name is written.`;
  if (code === 'ETARGET' || code === 'ENOVERSIONS') {
    return `The npm registry has no version of a library that fits ${named}. Ask for one that there is.`;
  }
  if (code.startsWith('EALLOW')) {
    return `${named} does not come from the npm registry${neededBy(error)}; a skript’s libraries, and all that they need, must.`;
  }
  if (code === 'ERESOLVE') return conflict(error);
  if (code === 'EINTEGRITY') {
    return `What the npm registry sent for ${named} is not what the lock says (EINTEGRITY): it was changed on the way or since. Nothing of it is installed.`;
  }
  if (code === 'EBADPLATFORM') return `${named} is not made for this system.`;
  if (code === 'E401' || code === 'E403') return `The npm registry does not give ${named} (${code}).`;
  if (PASSING.test(code)) return `The npm registry cannot be reached, or does not answer as it should (${code}).`;
  return `npm could not get ${named} (${code}).`;
}

function conflict({ edge, current }: NpmError): string {
  const needing = idOf(edge?.from);
  const needed = `${textIf(edge?.name) ?? 'another library'}@${textIf(edge?.spec) ?? '?'}`;
  const present = idOf(current);
  return `${needing ?? 'One of the libraries'} needs ${needed}, which does not go with ${present ?? 'the others'}. Ask for versions that go together.`;
}

const neededBy = ({ requiredBy }: NpmError): string => {
  const folder = textIf(requiredBy);
  return folder && folder !== '.' ? ` (${folder.replace(/^.*node_modules\//, '')} needs it)` : '';
};

function libraryOf({ pkgid, package: spec, message, uri }: NpmError): string | null {
  const said = textIf(pkgid) ?? textIf(spec);
  if (said !== null) return said.replace(/@(?:file|link):.*/, '').slice(0, 200);
  const version = /^No (?:matching |valid )?versions? \S+ for (\S+?)\.?$/.exec(textIf(message) ?? '');
  if (version?.[1]) return version[1].slice(0, 200);
  return typeof uri === 'string' && URL.canParse(uri) ? nameIn(new URL(uri).pathname) : null;
}

/** Of an archive or list below the registry's address. */
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
