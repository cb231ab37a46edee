import { PRICING_INQUIRY } from '../contact-links';
import { type ClaimId, claimed, FEATURE_CLAIMS } from '../feature-claims';
import type { SiteLink } from '../site-links';

export interface Feature {
  title: string;
  text: string;
  /** Say what of it works in this version. */
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
  lead: 'Trawl is a platform for web scraping, data mining and browser automation that you host yourself. You write a skript in JavaScript, a worker runs it, you read every message while it runs, and the rows land in MongoDB or PostgreSQL.',
  audienceLine: 'For developers who write scrapers, and for the teams who wait for the data.',
};

export const WAYS_TO_USE = {
  self: {
    title: 'Run it yourself',
    text: `${claimed('start')} The tutorial takes you from there to a skript of your own.`,
    command: 'npm start',
    action: { label: 'Install', to: '/docs/install' },
  },
  service: {
    on: {
      title: 'Have it run for you',
      text: 'Trawl’s services team has 24 experts with over 7 years of experience. They write the skripts, run them and hand over the rows, with 100% reliability as their measure: an accepted run does not disappear, and says why it ended. Prices are made for the job; there are no predefined plans.',
      action: { label: 'Contact Us', to: '/contact' },
    },
    off: {
      title: 'Use this installation',
      text: 'A free account comes with the FREE PACK: one worker and one database. You write skripts in the browser and install nothing.',
      action: { label: 'Sign Up for FREE PACK', to: '/sign-up' },
    },
  },
};

export const FEATURES: Feature[] = [
  {
    title: 'Dynamic content mining',
    text: 'Read what a page shows and what it loads. A skript asks for the HTML or for the JSON behind it, follows the links it finds, and decides in code what counts as a row.',
    claims: ['browser'],
  },
  {
    title: 'Anti-bot evasion',
    text: 'Sites turn away clients that knock too fast or look wrong. Pace, headers, cookies and language are yours to set for each request, and the echoes show the moment a site starts to refuse.',
    claims: ['stealth', 'proxies'],
  },
  {
    title: 'Automation builder',
    text: 'Chain requests, forms and clean-up steps in one skript with as many files as it needs. Save several inputs, and one skript does the same work for each of them.',
    claims: ['scheduler', 'retries', 'code'],
  },
  {
    title: 'Real-time data',
    text: 'Each run streams its echoes to the panel as it makes them: text, warnings, objects, pictures. They are numbered, so a gap is seen and never hidden.',
    claims: ['echoes'],
  },
  {
    title: 'Data cleaning',
    text: 'Trim, parse, normalise and drop duplicates in the language you already write. Store with an upsert and tomorrow’s run corrects yesterday’s rows and adds none twice.',
    claims: ['cleaning'],
  },
  {
    title: 'API integration',
    text: 'The panel is the first client of the Joint API and has no private routes. What you can click you can call: start a run, wait for its output, read the rows as JSON.',
    claims: ['jointApi', 'commandLine'],
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
    text: FEATURE_CLAIMS.systems.text,
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
    text: FEATURE_CLAIMS.sandbox.text,
  },
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

const FREE = [
  {
    title: 'The software is free',
    text: 'Install it on as many machines as you like. It is under the Apache License 2.0.',
  },
  {
    title: 'The FREE PACK is free',
    text: 'One database for each new account, without payment details, and one free worker with the full sandbox.',
  },
];

export const PRICING_METHOD = {
  on: {
    title: 'Free to run. Priced by the job when it is done for you.',
    text: 'There are no predefined plans. You can name the few things that set the price, and you get the answer in writing before anything is charged.',
    points: [
      ...FREE,
      {
        title: 'Work is priced by the job',
        text: 'By the number of sources, the rows, how fresh they must be, how they are checked, and who mends what breaks.',
      },
    ],
    links: [
      { label: 'What drives a price', to: '/pricing' },
      { label: 'Request a Quote', to: PRICING_INQUIRY },
    ],
  },
  off: {
    title: 'Free to run',
    text: 'There are no predefined plans and no price list.',
    points: FREE,
    links: [{ label: 'What the FREE PACK contains', to: '/pricing' }],
  },
};
