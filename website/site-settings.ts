/** What the environment decides about the site when it is built. */
export interface SiteSettings {
  /** The site's own address, without a slash at its end. */
  publicUrl: string;
  /** Where "Sign In" leads: a path on the same origin, or an address. */
  panelUrl: string;
  /** The platform's address for the forms, without a slash at its end; empty when it serves the site itself. */
  apiUrl: string;
  /** The platform's address in calls that a reader can copy, without a slash at its end. */
  platformUrl: string;
  /** Shown on /contact. */
  email: string;
  /** Who runs this installation: name and postal address in one line, for the footer and the legal pages. Empty if nobody said. */
  operator: string;
  /** Where a page of the documentation can be edited: its path in the repository is put behind it. Empty for nowhere. */
  editUrl: string;
}

/** @throws {Error} that names a setting which cannot be used. */
export function readSiteSettings(env: NodeJS.ProcessEnv): SiteSettings {
  const publicUrl = webAddress('TRAWL_PUBLIC_URL', env.TRAWL_PUBLIC_URL || 'http://localhost:3000');
  const apiUrl = env.SITE_API_URL ? webAddress('SITE_API_URL', env.SITE_API_URL) : '';
  return {
    publicUrl,
    panelUrl: env.SITE_PANEL_URL ? pathOrAddress('SITE_PANEL_URL', env.SITE_PANEL_URL) : '/panel/login',
    apiUrl,
    platformUrl: apiUrl || publicUrl,
    email: env.SITE_EMAIL ? mailAddress(env.SITE_EMAIL) : `info@${new URL(publicUrl).hostname}`,
    operator: (env.SITE_OPERATOR ?? '').trim(),
    editUrl: env.SITE_EDIT_URL ? `${webAddress('SITE_EDIT_URL', env.SITE_EDIT_URL)}/` : '',
  };
}

const isWebAddress = (value: string): boolean => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);

function pathOrAddress(name: string, value: string): string {
  if (/^\/(?!\/)/.test(value) || isWebAddress(value)) return value;
  throw new Error(
    `${name} must be a path such as /panel/login or a whole address such as https://trawl.example.com/panel/login, got "${value}".`,
  );
}

function webAddress(name: string, value: string): string {
  if (!isWebAddress(value)) {
    throw new Error(`${name} must be a whole address such as https://trawl.example.com, got "${value}".`);
  }
  return value.replace(/\/+$/, '');
}

// The rule of `backend/src/common/config.ts`; the default may have a host without a dot.
function mailAddress(value: string): string {
  if (/^[^\s@<>"]+@[^\s@<>"]+$/.test(value)) return value;
  throw new Error(`SITE_EMAIL must be an e-mail address such as info@example.com, got "${value}".`);
}
