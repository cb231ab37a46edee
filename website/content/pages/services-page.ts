import { claimed } from '../feature-claims';

/** Note below the delivery options of every service and industry. */
export const DELIVERY_NOTE = `You can also export the rows. ${claimed('exports')}`;

/** Says on the page of a service or industry who “we” are. */
export const WHO_WE_ARE = 'Done by Trawl’s services team. On this page, “we” means this team.';

/** Replaces what a service page offers if `SITE_SERVICES` is off. */
export const DO_IT_YOURSELF = {
  title: 'How to do it with Trawl',
  lead: 'Below are the fields, sample rows, and a skript that makes them. You run it yourself.',
  steps: [
    {
      title: 'Take the skript',
      text: 'Copy the sample skript of this page into a new skript in the panel, and put your source in the place of the invented one.',
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
  law: 'You answer for what your skripts read. Look at the terms and the robots.txt of a source first, keep personal data out unless you have a reason that the law accepts, and go slowly.',
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
    lead: 'You say what you need to know. Trawl’s services team writes the skripts, runs them, checks the rows and hands both over. Every service below says field by field what a row holds, shows a skript that makes one, and names what it leaves out.',
    industriesLead: 'The same work, told from the side of those who use the rows.',
  },
  off: {
    title: 'Use cases: web scraping, data monitoring and more',
    description:
      'Eighteen use cases of Trawl in six groups, from web scraping to real-time data, each with its fields, a sample to download and the skript that makes it.',
    keywords: ['web scraping examples', 'data monitoring', 'scraper example', 'data extraction', 'use cases'],
    headline: 'What you can do with Trawl',
    lead: 'Each use case says field by field what a row holds, and shows a skript that makes one. You run it yourself, here or on a Trawl of your own.',
    industriesLead: 'The same use cases, told from the side of those who use the rows.',
  },
};
