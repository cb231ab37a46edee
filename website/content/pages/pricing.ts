import type { PageWords } from '../../src/components/metadata/page-meta';
import { PRICING_INQUIRY } from '../contact-links';

type PricingWords = PageWords & { heading: string; lead: string };

/** Texts of /pricing, without figures, because each job has its own price. */
export const PRICING_PAGE: { on: PricingWords; off: PricingWords } = {
  on: {
    title: 'Pricing: the FREE PACK, and offers made to measure',
    heading: 'Begin for nothing. Pay for work you ask for.',
    description:
      'What the FREE PACK gives each new account, how much it costs to run Trawl yourself, what custom work costs, and who owns the code and the data.',
    keywords: [
      'web scraping pricing',
      'FREE PACK',
      'custom scraping quote',
      'data extraction cost',
      'free web scraper',
    ],
    lead: 'There are no predefined plans and no price list. The FREE PACK is free, and the software is free. For everything else you get a written offer, which you can accept or decline.',
  },
  off: {
    title: 'Pricing: the FREE PACK and the free software',
    heading: 'Free to use, free to install',
    description:
      'What the FREE PACK gives each new account, what running Trawl yourself costs, and where to ask for more than the FREE PACK contains.',
    keywords: ['FREE PACK', 'free web scraper', 'self-hosted web scraping', 'web scraping pricing'],
    lead: 'There are no predefined plans and no price list. The FREE PACK is free and the software is free. If you need more, ask the people who run this installation.',
  },
};

export const PRICING_ACTIONS = {
  signUp: { label: 'Sign Up for FREE PACK', to: '/sign-up' },
  inquiry: {
    on: { label: 'Request a Quote', to: PRICING_INQUIRY },
    off: { label: 'Ask for more', to: PRICING_INQUIRY },
  },
};

export const FREE_PACK = {
  title: 'What the FREE PACK is',
  text: [
    'The FREE PACK is an introduction that each new account gets at sign-up. You give no payment details. The FREE PACK has no set end. If it changes or ends, this website tells you 30 days before.',
  ],
  contents: [
    {
      title: 'One free worker',
      text: 'You use a worker that also runs the skripts of other accounts. Each run has its own sandbox.',
    },
    {
      title: 'One database',
      text: 'You get a MongoDB database that no other account can read. Your runs write to this database. You read its data in the panel, or as JSON through the API.',
    },
    {
      title: 'The whole panel and API',
      text: 'You get the same editor, live echoes, saved runs and Joint API as everybody else.',
    },
  ],
  wait: {
    title: 'When you may have to wait',
    text: 'Code of new accounts runs only on a worker with the full sandbox. You get your database and your worker as soon as you have set your password. If no worker with the full sandbox is connected at that moment, you get the first such worker that connects. Until then you can write, edit and bundle skripts, but not start them. The panel tells you that you are waiting for a worker.',
  },
};

const SELF_MADE = [
  {
    title: 'Run it yourself',
    price: 'Free software',
    text: 'The platform is free software under the Apache License 2.0. You pay only for your machines and your time. You can have as many workers as you have machines. A worker with the full sandbox runs the skripts of every account. Workers without the full sandbox run only the skripts of the two accounts that Trawl creates at its first start.',
    link: { label: 'Install', to: '/docs/install' },
  },
  {
    title: 'FREE PACK',
    price: 'Free account',
    text: 'You get one database and one free worker on this platform. Write skripts and run them without installing anything.',
    link: PRICING_ACTIONS.signUp,
  },
];

const MADE_FOR_YOU = {
  title: 'Made for you',
  price: 'Price on request',
  text: 'Trawl’s services team writes skripts for you, delivers data, sets up your own workers or helps with an installation. You and the team agree on the work in writing before it starts.',
  link: PRICING_ACTIONS.inquiry.on,
};

export const WAYS = {
  on: { title: 'Three ways to use Trawl', ways: [...SELF_MADE, MADE_FOR_YOU] },
  off: { title: 'Two ways to use Trawl', ways: SELF_MADE },
};

export const PRICE_DRIVERS = [
  {
    what: 'Sources',
    less: 'One site with clean HTML or its own API',
    more: 'Many different sites: each site needs a skript and its maintenance',
  },
  {
    what: 'Rows',
    less: 'Hundreds, from a few pages',
    more: 'Millions, with details and pictures on separate pages',
  },
  { what: 'Freshness', less: 'Once, or once a month', more: 'Several times a day, or within minutes of a change' },
  {
    what: 'Access',
    less: 'Open pages that answer plain requests',
    more: 'Sessions, forms, languages or regions that the skript must go through',
  },
  {
    what: 'Fields',
    less: 'Values as the page shows them',
    more: 'Normalised units, currencies and codes, and rows matched across sources',
  },
  {
    what: 'Checks',
    less: 'Required fields and duplicates',
    more: 'Limits agreed for each field, and a person who checks the rows before delivery',
  },
  {
    what: 'Upkeep',
    less: 'You maintain the skripts yourself',
    more: 'The team repairs the skripts whenever a source changes',
  },
  {
    what: 'Law',
    less: 'Public facts about things',
    more: 'Personal data, for which a purpose and a legal basis must be agreed first',
  },
];

export const QUOTE_STEPS = [
  {
    title: 'Say what you need',
    text: 'Tell the team which sources and fields you need, how often, and in which format. A link to one page and one invented row help more than a long description.',
  },
  {
    title: 'The team looks at the sources',
    text: 'The team checks whether the sources have the data, whether skripts may read it, and how much work the job is. If the job is impossible or wrong, the team declines it and tells you why.',
  },
  {
    title: 'You see a sample',
    text: 'You see real rows from your source, with the proposed fields. You can judge the data itself.',
  },
  {
    title: 'You get an offer in writing',
    text: 'The offer names the fields, how often the data is refreshed, the delivery, the checks, the price, the term and the notice period. You pay nothing before you have accepted the offer.',
  },
];

export const OWNERSHIP = [
  {
    question: 'Whose are the skripts?',
    answer:
      'The skripts that you write are yours. The skripts that the team writes for you become yours when you pay for them. You get their source files. The skripts run on every installation of Trawl.',
  },
  {
    question: 'Whose is the data?',
    answer:
      'The data is yours, as far as anybody can own data. The team does not resell the data that it collected for you. The sources keep their rights, and so do the people that the data names.',
  },
  {
    question: 'What if I cancel?',
    answer:
      'A subscription ends at the end of the term that you have paid. Until then everything continues. Download your rows and skripts before the term ends.',
  },
  {
    question: 'Do you ask for payment details here?',
    answer:
      'No. Neither this website nor the platform collects payment information. You get an invoice with the offer that you accepted.',
  },
];
