/** A link of the navigation bar or the footer; one that leads to no page fails the build. */
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

/** Shown as a button at the right end of the bar. */
export const SIGN_UP: SiteLink = { label: 'Sign Up', to: '/sign-up' };

/** Before the columns of services, which their pages make; see offers.ts. */
export const FOOTER_COLUMNS: LinkColumn[] = [
  {
    title: 'Product',
    links: [
      { label: 'Platform', to: '/platform' },
      { label: 'Pricing', to: '/pricing' },
      { label: 'FAQ', to: '/faq' },
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

/** The footer column that also carries Sign In, which leads to the panel and is no page of this site. */
export const ACCOUNT_COLUMN: LinkColumn = { title: 'Account', links: [SIGN_UP] };
