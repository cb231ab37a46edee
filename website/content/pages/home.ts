import { PRICING_INQUIRY } from '../contact-links';
import { type ClaimId, claimed, FEATURE_CLAIMS } from '../feature-claims';
import type { SiteLink } from '../site-links';

export interface Feature {
  title: string;
  text: string;
  /** Part of a screenshot of the panel, from scripts/make-pictures.mjs. */
  crop: { name: string; alt: string };
  /** Say what of it works in this version. The page shows the texts of those that are not complete. */
  claims: ClaimId[];
}
export interface Audience {
  title: string;
  text: string;
  /** Example fields of a row that this audience would collect. */
  fields: string[];
  link: SiteLink;
}

/** Texts of the home page, as plain text without Markdown. */
export const HOME = {
  title: 'Write the scraper. Watch it run. Keep the rows.',
  description:
    'Trawl is a self-hosted platform for web scraping and data mining: skripts in JavaScript, workers that run them, live echoes, rows in MongoDB or PostgreSQL.',
  keywords: [
    'web scraping',
    'data mining',
    'browser automation',
    'JavaScript',
    'self-hosted',
    'MongoDB',
    'data extraction',
  ],
  promise: 'A sandbox for every run, and a reason for every ending.',
  lead: 'Trawl is a platform for web scraping, data mining and browser automation that you host yourself. You write a skript in JavaScript, a worker runs it, and the rows land in MongoDB or PostgreSQL.',
};

export const WAYS_TO_USE = {
  self: {
    title: 'Run it yourself',
    text: `${claimed('start')} The software is free, under the Apache License 2.0.`,
    action: { label: 'Install', to: '/docs/install' },
  },
  service: {
    on: {
      title: 'Have it run for you',
      text: 'Trawl’s services team has 24 experts with over 7 years of experience. They write the skripts, run them and hand over the rows, with 100% reliability as their measure: an accepted run does not disappear, and says why it ended. There are no predefined plans. The sources, the rows and how fresh they must be set the price, and you get it in writing before you pay anything.',
      action: { label: 'Have it run for you', to: PRICING_INQUIRY },
      more: { label: 'What drives a price', to: '/pricing' },
    },
    off: {
      title: 'Use this installation',
      text: 'A free account comes with the FREE PACK: one worker and one database. You write skripts in the browser and install nothing. There is no price list.',
      action: { label: 'Sign Up for FREE PACK', to: '/sign-up' },
      more: { label: 'What the FREE PACK contains', to: '/pricing' },
    },
  },
};

export const FEATURES: Feature[] = [
  {
    title: 'Dynamic content mining',
    text: 'Read the HTML of a page, or the JSON behind it. Your code decides which links to follow and what counts as a row.',
    crop: { name: 'skript-editor', alt: 'The editor of the panel with the first lines of a skript.' },
    claims: ['browser'],
  },
  {
    title: 'Anti-bot evasion',
    text: 'You set pace, headers and cookies of each request.',
    crop: { name: 'execute-skript', alt: 'The form that starts a run: a worker, and an input secret.' },
    claims: ['stealth', 'proxies'],
  },
  {
    title: 'Automation builder',
    text: 'One skript chains requests, forms and clean-up, for as many saved inputs as you have. You set when it runs, and how often Trawl tries a failed run again.',
    crop: { name: 'scheduler', alt: 'The week in the scheduler, with the times of two skripts.' },
    claims: ['scheduler', 'retries', 'code'],
  },
  {
    title: 'Real-time data',
    text: 'You read text, warnings, objects and pictures while the run makes them. Each has a number, so you see a gap.',
    crop: { name: 'echoes', alt: 'The saved echoes of a run, numbered and with their times.' },
    claims: ['echoes'],
  },
  {
    title: 'Data cleaning',
    text: 'Trim, parse and normalise in JavaScript. Tomorrow’s run corrects yesterday’s rows and adds none twice.',
    crop: { name: 'storage', alt: 'Documents of a collection: SKU, title and price.' },
    claims: ['cleaning'],
  },
  {
    title: 'API integration',
    text: 'What you can click, you can call: start a run, wait for its output, read the rows as JSON.',
    crop: { name: 'joint-api', alt: 'The API keys of an account, with scope and last use.' },
    claims: ['jointApi', 'commandLine'],
  },
];

export const AUDIENCES: Audience[] = [
  {
    title: 'E-commerce managers',
    text: 'See your articles as each shop shows them this morning: price, place on the shelf, stock, and what is wrong with the listing.',
    fields: ['gtin', 'retailer', 'price', 'shelf_position', 'availability'],
    link: { label: 'E-commerce data', to: '/industries/ecommerce' },
  },
  {
    title: 'Digital marketers',
    text: 'See which message a competitor pays for, in which countries, and for how many days.',
    fields: ['advertiser', 'headline', 'countries', 'first_shown', 'days_shown'],
    link: { label: 'Marketing data', to: '/industries/marketing' },
  },
  {
    title: 'Data analysts',
    text: 'Query what an office publishes as fifty web pages as one collection, with source and reading time on each row.',
    fields: ['source', 'period', 'region', 'value', 'unit'],
    link: { label: 'Data as a service', to: '/services/daas-data-as-a-service' },
  },
  {
    title: 'Researchers',
    text: 'Keep a dated copy of a public source, made by code that you can publish beside the paper.',
    fields: ['doi', 'title', 'published', 'retrieved_at'],
    link: { label: 'Document data mining', to: '/services/document-data-mining' },
  },
  {
    title: 'Recruiters',
    text: 'See which employers opened positions this week, where, and for what pay. Positions only, never candidates.',
    fields: ['employer', 'title', 'city', 'pay_year_low', 'posted_on'],
    link: { label: 'Recruitment data', to: '/industries/recruitment' },
  },
  {
    title: 'Sales managers',
    text: 'Get trade directories and exhibitor lists with the fields of your CRM, and each company once.',
    fields: ['company', 'sector', 'website', 'country'],
    link: { label: 'Web scraping', to: '/services/web-scraping' },
  },
  {
    title: 'Financial analysts',
    text: 'Read figures from filings with the minute in which each became public. A restated number stands beside the old one.',
    fields: ['issuer', 'value', 'unit', 'published_at', 'value_before'],
    link: { label: 'Finance data', to: '/industries/finance' },
  },
  {
    title: 'Social media managers',
    text: 'Count what people write about a product as positive, negative or neutral. The skript takes the names of writers out first.',
    fields: ['product', 'posted_on', 'polarity', 'emotion', 'evidence'],
    link: { label: 'AI sentiment analysis', to: '/services/ai-sentiment-analysis' },
  },
  {
    title: 'Legal professionals',
    text: 'Read court calendars, registers and gazettes on the day they appear, with deadlines as dates.',
    fields: ['kind', 'court', 'case_number', 'deadline_on'],
    link: { label: 'Legal data', to: '/industries/legal' },
  },
  {
    title: 'Insurance agents',
    text: 'Know what the weather did at an address on the day of the claim: the warning, and what the nearest station measured.',
    fields: ['place', 'day', 'warning_level', 'measured', 'threshold_met'],
    link: { label: 'Insurance data', to: '/industries/insurance' },
  },
  {
    title: 'Healthcare professionals',
    text: 'Check your stock against recalls down to the batch. The skript reads no patient data.',
    fields: ['product', 'batch', 'recall_class', 'atc_code', 'published_on'],
    link: { label: 'Healthcare data', to: '/industries/healthcare' },
  },
  {
    title: 'Travel and hospitality companies',
    text: 'Compare rates with everything in them: service fee, city tax, board, and the hour until which a guest may cancel.',
    fields: ['property_id', 'total', 'board', 'cancel_until', 'rooms_left'],
    link: { label: 'Travel data', to: '/industries/travel' },
  },
];

export const STEPS = [
  {
    title: 'Write',
    text: 'You write a folder with a main.js that exports one async function, and the inputs it starts with.',
  },
  {
    title: 'Bundle',
    text: 'The files become one script. You read a mistake with its file, line and column before anything runs.',
  },
  {
    title: 'Run',
    text: 'A worker gives the run a process of its own and your time limit. It dials out, so it works behind a firewall too.',
  },
  {
    title: 'Watch and keep',
    text: 'Echoes reach you as they happen. Rows go to your database, and what main.js returns becomes the output.',
  },
];

export const NEEDS = [
  { name: 'Node.js', text: '20.19 or newer of 20, 22.12 or newer of 22, or 24 and newer, with its npm.' },
  { name: 'System', text: FEATURE_CLAIMS.systems.text },
  { name: 'Trust', text: FEATURE_CLAIMS.sandbox.text },
];

export const QUESTIONS = [
  {
    question: 'Which language do I write in?',
    answer: claimed('language', 'python'),
  },
  {
    question: 'Can a skript use any npm library?',
    answer: `Yes. ${claimed('npm')} Common libraries are in every run.`,
  },
  {
    question: 'How many workers can I have?',
    answer: `As many as you have machines. ${claimed('workers')}`,
  },
  {
    question: 'What happens when a worker dies in the middle of a run?',
    answer: claimed('workerLost'),
  },
  {
    question: 'What does it cost?',
    answer:
      'The platform is free software under the Apache License 2.0, and running it yourself costs nothing. There are no predefined plans.',
  },
  {
    question: 'May I scrape any site with it?',
    answer:
      'No tool can answer that for you. Read the terms and robots.txt of the site, keep personal data out unless you have a reason that the law accepts, stay out of what is behind a login, and go slowly.',
  },
];
