/** A link in the navigation bar or footer. A broken link fails the build. */
export interface SiteLink {
  label: string;
  /** Route on this site, without a slash at the end. */
  to: string;
}

export interface LinkColumn {
  title: string;
  links: SiteLink[];
}

export const NAVBAR_LINKS: SiteLink[] = [
  { label: 'Platform', to: '/platform' },
  { label: 'Services', to: '/services' },
  { label: 'Pricing', to: '/pricing' },
  { label: 'FAQ', to: '/faq' },
  { label: 'Docs', to: '/docs' },
  { label: 'Contact', to: '/contact' },
];

/** Label of the link to /services, by `SITE_SERVICES`. */
export const SERVICES_LABEL = { on: 'Services', off: 'Use cases' };

/** Button at the right end of the navigation bar. */
export const SIGN_UP: SiteLink = { label: 'Sign Up', to: '/sign-up' };

/** The first columns of the footer. The columns of the services follow; they are generated from offers.ts. */
export const FOOTER_COLUMNS: LinkColumn[] = [
  {
    title: 'Product',
    links: [
      { label: 'Platform', to: '/platform' },
      { label: 'Pricing', to: '/pricing' },
      { label: 'FAQ', to: '/faq' },
      { label: 'Install', to: '/docs/install' },
      { label: 'Changelog', to: '/changelog' },
      { label: 'Platform architecture', to: '/docs/tech/platform-architecture' },
      { label: 'Workers', to: '/docs/tech/workers' },
      { label: 'Contact', to: '/contact' },
    ],
  },
  {
    title: 'Docs',
    links: [
      { label: 'All documentation', to: '/docs' },
      { label: 'Develop a skript', to: '/docs/tutorials/develop-skript' },
      { label: 'Skripts', to: '/docs/tech/skripts' },
      { label: 'Skript execution', to: '/docs/tech/skript-execution' },
      { label: 'Joint API', to: '/docs/joint-api' },
      { label: 'Echo library', to: '/docs/libs/echo' },
    ],
  },
];

export const LEGAL_COLUMN: LinkColumn = {
  title: 'Legal',
  links: [
    { label: 'Privacy policy', to: '/legal/privacy-policy' },
    { label: 'Terms of service', to: '/legal/terms-of-service' },
  ],
};

/** Footer column for accounts. The configuration adds Sign In, which links to the panel. */
export const ACCOUNT_COLUMN: LinkColumn = { title: 'Account', links: [SIGN_UP] };
