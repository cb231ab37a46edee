/** What the environment decides about the site when it is built. */
export interface SiteSettings {
  /** The site's own address, without a slash at its end. */
  publicUrl: string;
  /** Where "Sign In" leads: a path on the same origin, or an address. */
  panelUrl: string;
  /** The platform's address for the forms, without a slash at its end; empty when it serves the site itself. */
  apiUrl: string;
  /** Shown on /contact. */
  email: string;
  /** Who runs this installation: name and postal address in one line, for the footer and the legal pages. Empty if nobody said. */
  operator: string;
  /** Where a page of the documentation can be edited: its path in the repository is put behind it. Empty for nowhere. */
  editUrl: string;
}

/** @throws Error naming a setting that cannot be used. */
export function readSiteSettings(env: NodeJS.ProcessEnv): SiteSettings {
  const publicUrl = webAddress('TRAWL_PUBLIC_URL', env.TRAWL_PUBLIC_URL || 'http://localhost:3000');
  return {
    publicUrl,
    panelUrl: env.SITE_PANEL_URL || '/panel/login',
    apiUrl: env.SITE_API_URL ? webAddress('SITE_API_URL', env.SITE_API_URL) : '',
    email: env.SITE_EMAIL ? mailAddress(env.SITE_EMAIL) : `info@${new URL(publicUrl).hostname}`,
    operator: (env.SITE_OPERATOR ?? '').trim(),
    editUrl: env.SITE_EDIT_URL ? `${webAddress('SITE_EDIT_URL', env.SITE_EDIT_URL)}/` : '',
  };
}

function webAddress(name: string, value: string): string {
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) {
    throw new Error(`${name} must be a whole address such as https://trawl.example.com, got "${value}".`);
  }
  return value.replace(/\/+$/, '');
}

// The rule of `backend/src/common/config.ts`; the default may have a host without a dot.
function mailAddress(value: string): string {
  if (/^[^\s@<>"]+@[^\s@<>"]+$/.test(value)) return value;
  throw new Error(`SITE_EMAIL must be an e-mail address such as info@example.com, got "${value}".`);
}
