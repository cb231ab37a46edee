import { claimed } from '../feature-claims';

/** Note below the delivery options of every service and industry. */
export const DELIVERY_NOTE = `You can also export the rows. ${claimed('exports')}`;

/** Says on the page of a service or industry who “we” are. */
export const WHO_WE_ARE = 'Done by Trawl’s services team. On this page, “we” means this team.';

/** Replaces what a service page offers if `SITE_SERVICES` is off. */
export const DO_IT_YOURSELF = {
  title: 'How to do it with Trawl',
  lead: 'Below are the fields, sample rows, and the skript that makes the rows. You run the skript yourself.',
  steps: [
    {
      title: 'Take the skript',
      text: 'Copy the sample skript from this page into a new skript in the panel. Replace the invented source with your own source.',
    },
    {
      title: 'Run it',
      text: claimed('echoes'),
    },
    {
      title: 'Repeat it',
      text: claimed('scheduler'),
    },
    {
      title: 'Take the rows',
      text: claimed('exports'),
    },
  ],
  law: 'You are responsible for what your skripts read. First read the terms and the robots.txt of a source. Do not collect personal data, unless you have a reason that the law accepts. Send requests slowly.',
  start: { label: 'Start with the tutorial', to: '/docs/tutorials/develop-skript' },
  account: { label: 'Sign Up for FREE PACK', to: '/sign-up' },
};

/** Texts of /services. The services have their own files. */
export const SERVICES_PAGE = {
  on: {
    title: 'Web scraping, data monitoring and DaaS services',
    description:
      'Eighteen services in six groups: scraping, monitoring, AI data, coding, data as a service and more, each with a field contract and a sample to download.',
    keywords: [
      'web scraping services',
      'data monitoring',
      'data as a service',
      'scraper development',
      'data extraction',
    ],
    headline: 'Work done for you',
    lead: 'You say what you need to know. Trawl’s services team writes the skripts, runs them and checks the rows. You get the skripts and the rows. The page of each service tells you, field by field, what a row contains. It shows a skript that makes such rows, and tells you what the service does not include.',
    industriesLead: 'The same work, described for the industries that use the rows.',
  },
  off: {
    title: 'Use cases: web scraping, data monitoring and more',
    description:
      'Eighteen use cases of Trawl in six groups, from web scraping to real-time data, each with its fields, a sample to download and the skript that makes it.',
    keywords: ['web scraping examples', 'data monitoring', 'scraper example', 'data extraction', 'use cases'],
    headline: 'What you can do with Trawl',
    lead: 'The page of each use case tells you, field by field, what a row contains. It shows a skript that makes such rows. You run the skript yourself, on this installation or on your own Trawl.',
    industriesLead: 'The same use cases, described for the industries that use the rows.',
  },
};
