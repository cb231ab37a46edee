import { PRICING_INQUIRY } from '../contact-links';
import type { SiteLink } from '../site-links';

export interface Feature {
  title: string;
  text: string;
  /** Says how much of the feature works in this version. */
  today: string;
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
    'Trawl is a self-hosted platform for web scraping and data mining: skripts in JavaScript, workers that run them, live echoes, rows in MongoDB.',
  keywords: [
    'web scraping',
    'data mining',
    'browser automation',
    'JavaScript',
    'self-hosted',
    'MongoDB',
    'data extraction',
  ],
  lead: 'Trawl is a platform for web scraping, data mining and browser automation that you host yourself. You write a skript in JavaScript, a worker runs it, you read every message while it runs, and the rows land in MongoDB.',
  audienceLine: 'For developers who write scrapers, and for the teams who wait for the data.',
};

export const WAYS_TO_USE = {
  self: {
    title: 'Run it yourself',
    text: 'One command starts the databases, a worker, the panel and a practice site to scrape. No Docker, no root, no account anywhere. The tutorial takes you from there to a skript of your own.',
    command: 'npm start',
    action: { label: 'Start with the tutorial', to: '/docs/tutorials/develop-skript' },
  },
  service: {
    title: 'Have it run for you',
    text: 'A team of 24 experts with over 7 years of experience writes the skripts, runs them and hands over the rows. We work to 100% reliability: a run that was accepted never disappears, and each ends with a reason you can read. Prices are made for the job; there are no predefined plans.',
    action: { label: 'Contact Us', to: '/contact' },
  },
};

export const FEATURES: Feature[] = [
  {
    title: 'Dynamic content mining',
    text: 'Read what a page shows and what it loads. A skript asks for the HTML or for the JSON behind it, follows the links it finds, and decides in code what counts as a row.',
    today:
      'The libraries axios, got and cheerio are in every run, and a sample reads a list that only the page’s own script would show. For pages that need a whole browser there is the environment browser: Puppeteer and a Chromium are at hand, and a sample shows it.',
  },
  {
    title: 'Anti-bot evasion',
    text: 'Sites turn away clients that knock too fast or look wrong. Pace, headers, cookies and language are yours to set for each request, and the echoes show the moment a site starts to refuse.',
    today:
      'The library got waits as long as a busy site asks before it retries; a sample holds the pace to four pages at a time, another signs in with an encrypted secret and keeps its session. No proxy pool, no CAPTCHA solving, no way past a login without permission.',
  },
  {
    title: 'Automation builder',
    text: 'Chain requests, forms and clean-up steps in one skript with as many files as it needs. Save several inputs, and one skript does the same work for each of them.',
    today:
      'Edit, bundle, start with one of the saved inputs, pause and stop, in the panel or by a call. Failed runs retry automatically. Flows are built in code. Schedules start them by the clock; they are made through the API, a screen in the panel comes later.',
  },
  {
    title: 'Real-time data',
    text: 'Each run streams its echoes to the panel as it makes them: text, warnings, objects, pictures. They are numbered, so a gap is seen and never hidden.',
    today: 'Echoes are also saved in full, searchable, and can be downloaded as CSV.',
  },
  {
    title: 'Data cleaning',
    text: 'Trim, parse, normalise and drop duplicates in the language you already write. Store with an upsert and tomorrow’s run corrects yesterday’s rows and adds none twice.',
    today:
      'A unique index keeps duplicates out of a collection. The sample Shop catalogue turns prices in four currencies and dates in three spellings into numbers and dates, and warns of fields left empty. Cleaning is code: there is no visual rule editor.',
  },
  {
    title: 'API integration',
    text: 'The panel is the first client of the Joint API and has no private routes. What you can click you can call: start a run, wait for its output, read the rows as JSON.',
    today:
      'Calls carry an API key that may read, run or do all, until it expires or you revoke it. Lists go on page by page to their end, and clients are generated from one OpenAPI document.',
  },
];

export const AUDIENCES: Audience[] = [
  {
    title: 'E-commerce managers',
    text: 'See your articles as each shop shows them this morning: the price, the place on the shelf, whether they can be bought, and what is wrong with the listing. By GTIN and dated, so that a price war shows as a line and not as a feeling.',
    fields: ['gtin', 'retailer', 'price', 'shelf_position', 'availability'],
    link: { label: 'E-commerce data', to: '/industries/ecommerce' },
  },
  {
    title: 'Digital marketers',
    text: 'Which message a competitor pays for, in which countries, and for how many days. Public ad repositories show it to whoever counts; an advert that has run since June earns its keep.',
    fields: ['advertiser', 'headline', 'countries', 'first_shown', 'days_shown'],
    link: { label: 'Marketing data', to: '/industries/marketing' },
  },
  {
    title: 'Data analysts',
    text: 'Statistics that an office publishes as fifty web pages become one collection you can query. Source address and reading time stay on each row, so that a figure can be traced back to its page.',
    fields: ['source', 'period', 'region', 'value', 'unit'],
    link: { label: 'Data as a service', to: '/services/daas-data-as-a-service' },
  },
  {
    title: 'Researchers',
    text: 'A dated copy of a public source, made by code that you can publish beside the paper. Run the same skript a year later and the difference between the two copies is a result.',
    fields: ['doi', 'title', 'published', 'retrieved_at'],
    link: { label: 'Document data mining', to: '/services/document-data-mining' },
  },
  {
    title: 'Recruiters',
    text: 'Which employers opened positions this week, where, and for what pay, from their own career pages. Pay by the hour and by the month becomes pay by the year. Positions only, never candidates.',
    fields: ['employer', 'title', 'city', 'pay_year_low', 'posted_on'],
    link: { label: 'Recruitment data', to: '/industries/recruitment' },
  },
  {
    title: 'Sales managers',
    text: 'Trade directories and exhibitor lists as rows with the fields your CRM asks for. Each company once, even if five directories spell it in five ways.',
    fields: ['company', 'sector', 'website', 'country'],
    link: { label: 'Web scraping', to: '/services/web-scraping' },
  },
  {
    title: 'Financial analysts',
    text: 'Figures from filings, with the minute in which each became public. A restated number stands beside the old one and does not quietly replace it.',
    fields: ['issuer', 'value', 'unit', 'published_at', 'value_before'],
    link: { label: 'Finance data', to: '/industries/finance' },
  },
  {
    title: 'Social media managers',
    text: 'What people write about a product, post by post, with positive, negative or neutral and the words that led there. The names of the writers are taken out before anything is stored.',
    fields: ['product', 'posted_on', 'polarity', 'emotion', 'evidence'],
    link: { label: 'AI sentiment analysis', to: '/services/ai-sentiment-analysis' },
  },
  {
    title: 'Legal professionals',
    text: 'Court calendars, registers and gazettes, read whole on the day they appear. A sentence about thirty days of publication becomes a date that counts weekends and court holidays.',
    fields: ['kind', 'court', 'case_number', 'deadline_on'],
    link: { label: 'Legal data', to: '/industries/legal' },
  },
  {
    title: 'Insurance agents',
    text: 'What the weather did at an address on the day of the claim: which warning was out, what the nearest station measured. Published tariffs and conditions can stand beside it.',
    fields: ['place', 'day', 'warning_level', 'measured', 'threshold_met'],
    link: { label: 'Insurance data', to: '/industries/insurance' },
  },
  {
    title: 'Healthcare professionals',
    text: 'Recalls down to the batch, joined with the register of medicines, so that a stock list can be held against them. Trials and shortages too. No patient data is read.',
    fields: ['product', 'batch', 'recall_class', 'atc_code', 'published_on'],
    link: { label: 'Healthcare data', to: '/industries/healthcare' },
  },
  {
    title: 'Travel and hospitality companies',
    text: 'Rates with everything in them: service fee, city tax, board, and the hour until which a guest may cancel. Compared only where the terms are alike, and read at the same hour each day.',
    fields: ['property_id', 'total', 'board', 'cancel_until', 'rooms_left'],
    link: { label: 'Travel data', to: '/industries/travel' },
  },
];

export const STEPS = [
  {
    title: 'Write',
    text: 'A skript is a folder with a main.js that exports one async function. Beside it go as many files as you like, and inputs it is started with.',
  },
  {
    title: 'Bundle',
    text: 'The files become one script. A mistake is reported with your own file, line and column, before anything runs.',
  },
  {
    title: 'Run',
    text: 'A worker takes the run in a process of its own, with a time limit you set. Workers dial out to the platform, so one behind a firewall works too.',
  },
  {
    title: 'Watch and keep',
    text: 'Echoes reach the panel as they happen. Rows go to your MongoDB database, and what main.js returns is kept as the output of the run.',
  },
];

export const NEEDS = [
  { name: 'Node.js', text: '20.19 or newer of 20, 22.12 or newer of 22, or 24 and newer, with its npm.' },
  {
    name: 'System',
    text: 'Linux on x64 or arm64, or macOS on Apple silicon. On a Mac with an Intel processor, name a MongoDB of your own in MONGODB_URI. Windows is planned.',
  },
  {
    name: 'Databases',
    text: 'PostgreSQL and MongoDB start with the platform and keep their files in one folder. Servers of your own are used when you name them.',
  },
  {
    name: 'Network',
    text: 'The first start fetches npm packages. After that it listens on your own machine only, until you say otherwise.',
  },
  {
    name: 'Trust',
    text: 'On Linux, as root, a worker gives each run a full sandbox; the panel says what is missing elsewhere. Below it, run only code you trust.',
  },
];

export const QUESTIONS = [
  {
    question: 'Which language do I write in?',
    answer: 'JavaScript, on Node.js. Python is planned and not available yet.',
  },
  {
    question: 'Can a skript use any npm library?',
    answer:
      'Yes, of the npm registry: name it in the package.json of the skript. A worker installs it at the first run, without running a script of it; a stock of common libraries is in every run anyway.',
  },
  {
    question: 'How many workers can I have?',
    answer:
      'As many as you have machines. A worker is a small Node.js program that connects to the platform with its own key; an administrator adds it once.',
  },
  {
    question: 'What happens when a worker dies in the middle of a run?',
    answer:
      'The run ends with the error code worker_lost and is never started again behind your back. Echoes that had reached the platform stay.',
  },
  {
    question: 'What does it cost?',
    answer:
      'The platform is free software under the Apache License 2.0, and running it yourself costs nothing. Work done for you is priced by the job.',
  },
  {
    question: 'May I scrape any site with it?',
    answer:
      'No tool can answer that for you. Read the terms and robots.txt of the site, keep personal data out unless you have a reason that the law accepts, stay out of what is behind a login, and go slowly.',
  },
];

export const PRICING_METHOD = {
  title: 'Free to run. Priced by the job when we do it.',
  text: 'There are no predefined plans. What a job costs follows from a few things you can name yourself, and you get the answer in writing before anything is charged.',
  points: [
    {
      title: 'The software is free',
      text: 'Install it on as many machines as you like. It is under the Apache License 2.0.',
    },
    {
      title: 'The FREE PACK is free',
      text: 'One database for each new account, without payment details, and one free worker with the full sandbox.',
    },
    {
      title: 'Work is priced by the job',
      text: 'By the number of sources, the rows, how fresh they must be, how they are checked, and who mends what breaks.',
    },
  ],
  actions: {
    more: { label: 'What drives a price', to: '/pricing' },
    inquiry: { label: 'Request a Quote', to: PRICING_INQUIRY },
  },
};
