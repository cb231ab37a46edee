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
  promise: 'Every run has a sandbox, and every run tells you why it ended.',
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
      text: 'Trawl’s services team has 24 experts with over 7 years of experience. They write the skripts, run them and hand over the rows. Their goal is 100% reliability: an accepted run does not disappear, and it tells you why it ended. There are no predefined plans. The price depends on the sources, the number of rows and how fresh the rows must be. You get the price in writing before you pay anything.',
      action: { label: 'Have it run for you', to: PRICING_INQUIRY },
      more: { label: 'What drives a price', to: '/pricing' },
    },
    off: {
      title: 'Use this installation',
      text: 'A free account includes the FREE PACK: one worker and one database. You write skripts in the browser and do not need to install anything. There is no price list.',
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
    text: 'You set the pace, the headers and the cookies of each request.',
    crop: { name: 'execute-skript', alt: 'The form that starts a run: a worker, and an input secret.' },
    claims: ['stealth', 'proxies'],
  },
  {
    title: 'Automation builder',
    text: 'One skript can send requests, fill in forms and clean the data. You can save many inputs for it. You choose when it runs, and how many times Trawl tries a failed run again.',
    crop: { name: 'scheduler', alt: 'The week in the scheduler, with the times of two skripts.' },
    claims: ['scheduler', 'retries', 'code'],
  },
  {
    title: 'Real-time data',
    text: 'You read text, warnings, objects and pictures while the run sends them. Each message has a number, so you see if a message is missing.',
    crop: { name: 'echoes', alt: 'The saved echoes of a run, numbered and with their times.' },
    claims: ['echoes'],
  },
  {
    title: 'Data cleaning',
    text: 'You trim, parse and normalise values in JavaScript. Tomorrow’s run corrects yesterday’s rows, and adds no row twice.',
    crop: { name: 'storage', alt: 'Documents of a collection: SKU, title and price.' },
    claims: ['cleaning'],
  },
  {
    title: 'API integration',
    text: 'Your programs can do what you can click: start a run, wait for its output, and read the rows as JSON.',
    crop: { name: 'joint-api', alt: 'The API keys of an account, with scope and last use.' },
    claims: ['jointApi', 'commandLine'],
  },
];

export const AUDIENCES: Audience[] = [
  {
    title: 'E-commerce managers',
    text: 'See how each shop shows your products this morning: price, position in the list, stock, and errors in the listing.',
    fields: ['gtin', 'retailer', 'price', 'shelf_position', 'availability'],
    link: { label: 'E-commerce data', to: '/industries/ecommerce' },
  },
  {
    title: 'Digital marketers',
    text: 'See which adverts a competitor pays for, in which countries, and for how many days.',
    fields: ['advertiser', 'headline', 'countries', 'first_shown', 'days_shown'],
    link: { label: 'Marketing data', to: '/industries/marketing' },
  },
  {
    title: 'Data analysts',
    text: 'An authority publishes its figures on fifty web pages, and you query them as one collection. Each row has its source and the time when the skript read it.',
    fields: ['source', 'period', 'region', 'value', 'unit'],
    link: { label: 'Data as a service', to: '/services/daas-data-as-a-service' },
  },
  {
    title: 'Researchers',
    text: 'Keep a copy of a public source with its date. Publish the code that made the copy together with your paper.',
    fields: ['doi', 'title', 'published', 'retrieved_at'],
    link: { label: 'Document data mining', to: '/services/document-data-mining' },
  },
  {
    title: 'Recruiters',
    text: 'See which employers advertised jobs this week, where, and for what pay. The rows describe only jobs, never candidates.',
    fields: ['employer', 'title', 'city', 'pay_year_low', 'posted_on'],
    link: { label: 'Recruitment data', to: '/industries/recruitment' },
  },
  {
    title: 'Sales managers',
    text: 'Get companies from trade directories and exhibitor lists, in the fields of your CRM. Each company appears once.',
    fields: ['company', 'sector', 'website', 'country'],
    link: { label: 'Web scraping', to: '/services/web-scraping' },
  },
  {
    title: 'Financial analysts',
    text: 'Read figures from filings, with the minute in which each figure was published. If a company corrects a figure, you see the new and the old figure.',
    fields: ['issuer', 'value', 'unit', 'published_at', 'value_before'],
    link: { label: 'Finance data', to: '/industries/finance' },
  },
  {
    title: 'Social media managers',
    text: 'Count how many posts about a product are positive, negative or neutral. The skript first removes the names of the authors.',
    fields: ['product', 'posted_on', 'polarity', 'emotion', 'evidence'],
    link: { label: 'AI sentiment analysis', to: '/services/ai-sentiment-analysis' },
  },
  {
    title: 'Legal professionals',
    text: 'Read court calendars, registers and gazettes on the day they are published. The rows contain deadlines as dates.',
    fields: ['kind', 'court', 'case_number', 'deadline_on'],
    link: { label: 'Legal data', to: '/industries/legal' },
  },
  {
    title: 'Insurance agents',
    text: 'Find out the weather at an address on the day of the claim: the official warning, and what the nearest weather station measured.',
    fields: ['place', 'day', 'warning_level', 'measured', 'threshold_met'],
    link: { label: 'Insurance data', to: '/industries/insurance' },
  },
  {
    title: 'Healthcare professionals',
    text: 'Check your stock against recalls, for each batch. The skript reads no patient data.',
    fields: ['product', 'batch', 'recall_class', 'atc_code', 'published_on'],
    link: { label: 'Healthcare data', to: '/industries/healthcare' },
  },
  {
    title: 'Travel and hospitality companies',
    text: 'Compare complete room rates: with service fee, city tax, meals, and the time until which a guest may cancel.',
    fields: ['property_id', 'total', 'board', 'cancel_until', 'rooms_left'],
    link: { label: 'Travel data', to: '/industries/travel' },
  },
];

export const STEPS = [
  {
    title: 'Write',
    text: 'You write a folder of files. Its file main.js exports one async function. You also save the inputs for this function.',
  },
  {
    title: 'Bundle',
    text: 'Trawl combines the files into one script. It shows you the file, line and column of each mistake before anything runs.',
  },
  {
    title: 'Run',
    text: 'A worker runs your code in a separate process, with the time limit that you set. The worker opens the connection to the platform itself, so it also works behind a firewall.',
  },
  {
    title: 'Watch and keep',
    text: 'You see echoes while the run sends them. Rows go to your database. The value that main.js returns becomes the output of the run.',
  },
];

export const NEEDS = [
  { name: 'Node.js', text: 'Node.js 20.19 or newer 20.x, 22.12 or newer 22.x, or 24 and newer, with its npm.' },
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
      'No tool can answer that for you. Read the terms and the robots.txt of the site. Do not collect personal data, unless you have a reason that the law accepts. Do not read pages behind a login, and send requests slowly.',
  },
];
