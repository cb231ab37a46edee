import { SITE_PLACEHOLDERS } from '@trawl/contracts';

/**
 * Build settings of the site, from environment variables. A site that the backend serves is built without
 * `TRAWL_PUBLIC_URL`, `SITE_EMAIL` and `SITE_OPERATOR`: the backend puts them into the pages when it starts.
 */
export interface SiteSettings {
  /** URL of the site, without a trailing slash. */
  publicUrl: string;
  /** Target of "Sign In": a path on the same origin, or a URL. */
  panelUrl: string;
  /** URL of the platform for the forms, without a trailing slash; empty if the platform serves the site. */
  apiUrl: string;
  /** URL of the platform in the examples of the docs, without a trailing slash. */
  platformUrl: string;
  /** E-mail address on /contact. */
  email: string;
  /** Operator's name and postal address in one line, for the footer and legal pages. Empty if not set. */
  operator: string;
  /** Whether the pages offer work of Trawl's services team. */
  services: boolean;
  /** Repository of the source code, which the install page names. Empty for the archive of this installation. */
  sourceUrl: string;
  /** Prefix of the edit links in the docs, to which the path in the repository is appended. Empty for no links. */
  editUrl: string;
}

/** @throws {Error} that names an invalid setting. */
export function readSiteSettings(env: NodeJS.ProcessEnv): SiteSettings {
  const apiUrl = env.SITE_API_URL ? webAddress('SITE_API_URL', env.SITE_API_URL) : '';
  // `docusaurus start` sets NODE_ENV to development, and serves the site itself.
  const isServedByBackend = !apiUrl && env.NODE_ENV !== 'development';
  const { publicUrl, email, operator } = isServedByBackend ? SITE_PLACEHOLDERS : ownSettings(env);
  return {
    publicUrl,
    panelUrl: env.SITE_PANEL_URL ? pathOrAddress('SITE_PANEL_URL', env.SITE_PANEL_URL) : '/panel/login',
    apiUrl,
    platformUrl: apiUrl || publicUrl,
    email,
    operator,
    services: onOrOff('SITE_SERVICES', env.SITE_SERVICES || 'on'),
    sourceUrl: env.SITE_SOURCE_URL ? webAddress('SITE_SOURCE_URL', env.SITE_SOURCE_URL) : '',
    editUrl: env.SITE_EDIT_URL ? `${webAddress('SITE_EDIT_URL', env.SITE_EDIT_URL)}/` : '',
  };
}

/** Reads what the backend knows only if it serves the site. */
function ownSettings(env: NodeJS.ProcessEnv): Pick<SiteSettings, 'publicUrl' | 'email' | 'operator'> {
  const publicUrl = webAddress('TRAWL_PUBLIC_URL', env.TRAWL_PUBLIC_URL || 'http://localhost:3000');
  return {
    publicUrl,
    email: env.SITE_EMAIL ? mailAddress(env.SITE_EMAIL) : `info@${new URL(publicUrl).hostname}`,
    operator: (env.SITE_OPERATOR ?? '').trim(),
  };
}

const isWebAddress = (value: string): boolean => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);

function onOrOff(name: string, value: string): boolean {
  if (value === 'on' || value === 'off') return value === 'on';
  throw new Error(`${name} must be on or off; it is "${value}".`);
}

function pathOrAddress(name: string, value: string): string {
  if (/^\/(?!\/)/.test(value) || isWebAddress(value)) return value;
  throw new Error(
    `${name} must be a path such as /panel/login or a URL such as https://trawl.example.com/panel/login; it is "${value}".`,
  );
}

function webAddress(name: string, value: string): string {
  if (!isWebAddress(value)) {
    throw new Error(`${name} must be a URL such as https://trawl.example.com; it is "${value}".`);
  }
  return value.replace(/\/+$/, '');
}

// Same rule as in `backend/src/platform/common/config.ts`. The host of the default may lack a dot.
function mailAddress(value: string): string {
  if (/^[^\s@<>"]+@[^\s@<>"]+$/.test(value)) return value;
  throw new Error(`SITE_EMAIL must be an e-mail address such as info@example.com; it is "${value}".`);
}
