import type { PageWords } from '../../src/components/metadata/page-meta';
import { DEMO_REQUEST } from '../contact-links';
import { claimed } from '../feature-claims';
import type { SiteLink } from '../site-links';

/** Texts of /faq, as plain text without Markdown. */
export const FAQ_PAGE: PageWords & { heading: string; lead: string } = {
  title: 'Frequently asked: FREE PACK, prices, language, scaling',
  heading: 'Eight questions, answered',
  description:
    'What Trawl is, what the FREE PACK contains, how a price is set, in which language you write skripts, how far workers scale, and how to ask more.',
  keywords: [
    'Trawl FAQ',
    'FREE PACK',
    'web scraping questions',
    'scraping pricing',
    'JavaScript scraper',
    'demo account',
  ],
  lead: 'These are questions that people ask before they begin. Each question has its own link, so you can share it.',
};

interface FaqEntry {
  /** Anchor of the question. Other pages link to it, so do not change it. */
  id: string;
  question: string;
  /** Paragraphs. */
  answer: string[];
  /** Where to go next. */
  links: SiteLink[];
}

const PLANS_WITH_SERVICES: Pick<FaqEntry, 'answer' | 'links'> = {
  answer: [
    'No. Beyond the FREE PACK, each job has its own price. Fifty pages a month from one site cost less than a million rows a day from two hundred sites.',
    'Say what you need, and Trawl’s services team sends you a written offer. The pricing page explains the price.',
  ],
  links: [{ label: 'How a price is made', to: '/pricing' }],
};

const QUESTIONS: FaqEntry[] = [
  {
    id: 'what-is-trawl',
    question: 'What is Trawl?',
    answer: [
      'Trawl is a serverless platform for web scraping, data mining and browser automation. You write a script, called a skript, and start it in the web panel or through the API. A worker runs it. You watch its messages while it runs, and find its rows in MongoDB or PostgreSQL. Serverless means that your skript needs no server of its own: any free worker runs it.',
      'The platform itself does need a machine. Trawl is free software: you can host it yourself, or use an installation that somebody else hosts.',
    ],
    links: [{ label: 'The platform, part by part', to: '/platform' }],
  },
  {
    id: 'free-pack',
    question: 'What is the FREE PACK?',
    answer: [
      'Each new account gets the FREE PACK at sign-up, without payment. The FREE PACK contains one MongoDB database and one free worker. You get the database when you have confirmed your e-mail address and set a password.',
      'You share the worker with other accounts. The worker runs each skript in a full sandbox. If no worker with a full sandbox is connected, you get the first such worker that connects. Until then you can write and bundle skripts, but not start them. If you host Trawl yourself, the two accounts of its first start can run skripts at once, even on a worker without a full sandbox.',
    ],
    links: [
      { label: 'Sign Up', to: '/sign-up' },
      { label: 'Install it yourself', to: '/docs/install' },
    ],
  },
  {
    id: 'plans',
    question: 'Are there predefined plans?',
    answer: [
      'No. The software and the FREE PACK are free. Prices beyond the FREE PACK are custom: ask the people who run this installation.',
    ],
    links: [{ label: 'What is free', to: '/pricing' }],
  },
  {
    id: 'language',
    question: 'Which programming language do I write in?',
    answer: [
      `${claimed('language')} Common libraries, such as axios, got and cheerio, are in every run. ${claimed('npm')}`,
      claimed('python'),
    ],
    links: [{ label: 'What a skript is made of', to: '/docs/tech/skripts' }],
  },
  {
    id: 'scaling',
    question: 'How far does it scale?',
    answer: [
      `The number of workers is unlimited, and they are decentralised. ${claimed('workers')}`,
      `When all workers are busy, your run waits and tells you what it waits for. ${claimed('backends')}`,
    ],
    links: [{ label: 'How workers connect', to: '/docs/tech/workers' }],
  },
  {
    id: 'demo',
    question: 'Can I get a demo account?',
    answer: [
      'Yes. Send the contact form with the subject Demo Request. Describe in a few lines what you would like to try: which data, from where, and how often. The demo can then show exactly this. A demo account ends after some days. The platform then deletes the account and its data.',
    ],
    links: [{ label: 'Request a Demo', to: DEMO_REQUEST }],
  },
  {
    id: 'tasks',
    question: 'Which tasks is it made for?',
    answer: [
      'You can collect data that websites and their APIs publish, such as product lists, prices, listings, registers and documents. You can watch pages for changes, and move data from one system to another and clean it on the way. You can also fill in forms, and automate steps that a person would otherwise click. For all this you use plain HTTP requests or a real browser.',
      'Do not use it to get past a login or paywall without the permission of the owner.',
    ],
    links: [{ label: 'What this version does, feature by feature', to: '/platform#features' }],
  },
  {
    id: 'contact',
    question: 'How do I reach somebody?',
    answer: [
      'Use the contact form. The people who run this installation read your message. The contact page also shows the general e-mail address, if you prefer to use your own mail program.',
    ],
    links: [{ label: 'Contact Us', to: '/contact' }],
  },
];

export const FAQ = {
  on: QUESTIONS.map(entry => (entry.id === 'plans' ? { ...entry, ...PLANS_WITH_SERVICES } : entry)),
  off: QUESTIONS,
};
