import type { PageWords } from '../../src/components/metadata/page-meta';
import { PRICING_INQUIRY } from '../contact-links';

type PricingWords = PageWords & { heading: string; lead: string };

/** Texts of /pricing, without figures, because each job has its own price. */
export const PRICING_PAGE: { on: PricingWords; off: PricingWords } = {
  on: {
    title: 'Pricing: the FREE PACK, and offers made to measure',
    heading: 'Begin for nothing. Pay for work you ask for.',
    description:
      'What the FREE PACK gives each new account, what running Trawl yourself costs, what drives the price of custom work, and who owns the code and the data.',
    keywords: [
      'web scraping pricing',
      'FREE PACK',
      'custom scraping quote',
      'data extraction cost',
      'free web scraper',
    ],
    lead: 'There are no predefined plans and no price list. The FREE PACK is free, the software is free, and everything else is an offer in writing that you can say no to.',
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
    'An introduction that each new account gets at sign-up. You give no payment details. It has no set end; you hear of a change or its end 30 days before.',
  ],
  contents: [
    {
      title: 'One free worker',
      text: 'A shared worker that runs your skripts beside those of other accounts, each run in a sandbox of its own.',
    },
    {
      title: 'One database',
      text: 'A MongoDB database of your own, which no other account can read. Your runs write to it, and you read it in the panel or as JSON through the API.',
    },
    {
      title: 'The whole panel and API',
      text: 'The same editor, live echoes, saved runs and Joint API as everybody else has.',
    },
  ],
  wait: {
    title: 'When you may have to wait',
    text: 'Code of new accounts runs only on a worker with the full sandbox. Database and worker are there as soon as you have set your password. If no such worker is connected at that moment, you get the first one that connects. Until then you can write, edit and bundle skripts, but not start them. The panel shows that you wait.',
  },
};

const SELF_MADE = [
  {
    title: 'Run it yourself',
    price: 'Free software',
    text: 'The platform is under the Apache License 2.0. It costs what your machine and your time cost, with as many workers as you have machines. A worker with the full sandbox runs the skripts of every account; on any other only the two accounts of the first start run theirs.',
    link: { label: 'Install', to: '/docs/install' },
  },
  {
    title: 'FREE PACK',
    price: 'Free account',
    text: 'One database and one free worker on this platform. Write skripts and run them without installing anything.',
    link: PRICING_ACTIONS.signUp,
  },
];

const MADE_FOR_YOU = {
  title: 'Made for you',
  price: 'Price on request',
  text: 'Trawl’s services team writes skripts for you, delivers data, sets up workers of your own or helps with an installation. Agreed in writing before it starts.',
  link: PRICING_ACTIONS.inquiry.on,
};

export const WAYS = {
  on: { title: 'Three ways to use Trawl', ways: [...SELF_MADE, MADE_FOR_YOU] },
  off: { title: 'Two ways to use Trawl', ways: SELF_MADE },
};

export const PRICE_DRIVERS = [
  {
    what: 'Sources',
    less: 'One site with clean markup or an API of its own',
    more: 'Many sites, each built differently, each with a skript to write and keep',
  },
  {
    what: 'Rows',
    less: 'Hundreds, from a few pages',
    more: 'Millions, with details and pictures on pages of their own',
  },
  { what: 'Freshness', less: 'Once, or once a month', more: 'Several times a day, or within minutes of a change' },
  {
    what: 'Access',
    less: 'Open pages that answer plain requests',
    more: 'Sessions, forms, languages or regions to step through',
  },
  {
    what: 'Fields',
    less: 'As the page shows them',
    more: 'Normalised units, currencies, codes; matched across sources',
  },
  {
    what: 'Checks',
    less: 'Required fields and duplicates',
    more: 'Limits agreed for each field, and a person who looks before delivery',
  },
  { what: 'Upkeep', less: 'You take the skripts over', more: 'The team mends them whenever a source changes' },
  {
    what: 'Law',
    less: 'Public facts about things',
    more: 'Anything personal, which needs a purpose and a basis agreed first',
  },
];

export const QUOTE_STEPS = [
  {
    title: 'Say what you need',
    text: 'Which sources, which fields, how often, in what form. A link to one page and a made-up row say more than a long description.',
  },
  {
    title: 'The team looks at the sources',
    text: 'Whether the data is there, whether skripts may read it, how much work it is. If the job is impossible or wrong, the team says no, and why.',
  },
  {
    title: 'You see a sample',
    text: 'Real rows from your source in the proposed fields, so that you judge the data and not the promise.',
  },
  {
    title: 'You get an offer in writing',
    text: 'Fields, refresh, delivery, checks, price, term and notice. You pay nothing before you have agreed to it.',
  },
];

export const OWNERSHIP = [
  {
    question: 'Whose are the skripts?',
    answer:
      'Those you write are yours. Those the team writes for you become yours when you pay for them: you get the source files, and they run on any Trawl.',
  },
  {
    question: 'Whose is the data?',
    answer:
      'Yours, as far as anybody can own data. The team does not resell what it collected for you. The rights of the sources and of people named in the data stay what they are.',
  },
  {
    question: 'What if I cancel?',
    answer:
      'A subscription ends with the term that you have paid. Until then everything continues; take your rows and skripts with you before it ends.',
  },
  {
    question: 'Do you ask for payment details here?',
    answer:
      'No. Neither this website nor the platform collects payment information. An invoice comes with the offer that you accepted.',
  },
];
