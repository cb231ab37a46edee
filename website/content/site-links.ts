/**
 * Every link of the navigation bar and the footer. A link is shown once its page exists (see `existingLinks` in
 * docusaurus.config.ts), so a new page appears in the menus by being written.
 */
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

export const SERVICE_GROUPS: LinkColumn[] = [
  {
    title: 'Data Scraping',
    links: [
      { label: 'Web scraping', to: '/services/web-scraping' },
      { label: 'Image text extraction (OCR)', to: '/services/image-text-extraction-ocr' },
      { label: 'Document data mining', to: '/services/document-data-mining' },
      { label: 'Mobile app scraping', to: '/services/mobile-app-scraping' },
      { label: 'Deep web scraping', to: '/services/deep-web-scraping' },
    ],
  },
  {
    title: 'Data Monitoring',
    links: [
      { label: 'Price monitoring', to: '/services/price-monitoring' },
      { label: 'Brand monitoring', to: '/services/brand-monitoring' },
      { label: 'Assets monitoring', to: '/services/assets-monitoring' },
      { label: 'Product matching', to: '/services/product-matching' },
    ],
  },
  {
    title: 'AI',
    links: [
      { label: 'AI sentiment analysis', to: '/services/ai-sentiment-analysis' },
      { label: 'Machine learning', to: '/services/machine-learning' },
    ],
  },
  {
    title: 'Coding',
    links: [
      { label: 'Scraping scripts development', to: '/services/scraping-scripts-development' },
      { label: 'Data mining apps development', to: '/services/data-mining-apps-development' },
      { label: 'Chrome extension development', to: '/services/chrome-extension-development' },
    ],
  },
  {
    title: 'DaaS and APIs',
    links: [
      { label: 'Data as a service', to: '/services/daas-data-as-a-service' },
      { label: 'Trawl Joint API', to: '/services/trawl-joint-api' },
    ],
  },
  {
    title: 'Misc',
    links: [
      { label: 'Real-time data', to: '/services/real-time-data' },
      { label: 'Bitcoin and crypto mining', to: '/services/bitcoin-crypto-mining' },
    ],
  },
];

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
      { label: 'Echo library', to: '/docs/libs/echo' },
    ],
  },
  ...SERVICE_GROUPS,
  {
    title: 'Legal',
    links: [
      { label: 'Privacy policy', to: '/legal/privacy-policy' },
      { label: 'Terms of service', to: '/legal/terms-of-service' },
    ],
  },
];

/** The footer column that also carries Sign In, which leads to the panel and is no page of this site. */
export const ACCOUNT_COLUMN: LinkColumn = { title: 'Account', links: [SIGN_UP] };
