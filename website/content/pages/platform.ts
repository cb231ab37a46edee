import type { PageWords } from '../../src/components/metadata/page-meta';
import { type ClaimId, claimed, FEATURE_CLAIMS, type FeatureClaim } from '../feature-claims';

/** Texts of /platform, as plain text without Markdown. */
export const PLATFORM_PAGE: PageWords & { heading: string; lead: string } = {
  title: 'The platform: panel, APIs and workers',
  heading: 'Your scripts, run somewhere else, in plain sight',
  description:
    'The parts of Trawl: web panel, core API, core websocket API and workers, what each feature does in this version, and for which work you can use it.',
  keywords: [
    'web scraping platform',
    'serverless scraping',
    'browser automation platform',
    'Node.js workers',
    'websocket echoes',
    'JavaScript scraping',
  ],
  lead: 'Trawl is a serverless platform for web scraping, data mining and browser automation: your skript needs no server of its own. Workers run it, on your machines or on those of your host; you watch each message of a run live and keep every row.',
};

export const DESCRIPTION = {
  title: 'What it is',
  text: [
    'A scraper on your laptop works until you close the lid. On a server of its own it works until nobody remembers which server. Trawl replaces both: you keep the code in one panel, any worker with a free slot runs it, and you get a record of each run.',
    'Each run is a process of its own with a time limit. It gets an input, sends echoes while it works, stores rows in MongoDB or PostgreSQL, and ends in one of three ways: it finishes, somebody stops it, or it fails, and you see the file and line. An accepted run never disappears.',
  ],
  picture: {
    name: 'skript-editor',
    alt: 'A skript in the panel: its file main.js in the editor, the bundle up to date, and the buttons Bundle and Run.',
    caption: 'A skript in the web panel. Bundle names a mistake before Run starts anything.',
  },
};

export const CORE_COMPONENTS = [
  {
    title: 'Web panel',
    text: 'Here you work: write and bundle skripts, start and stop runs, watch echoes arrive, read rows and past runs. It is an app in your browser, with an editor that knows JavaScript.',
    detail: 'It has no private routes. All it does goes through the two APIs below.',
    link: { label: 'The panel, section by section', to: '/docs/web-panel/dashboard' },
  },
  {
    title: 'Core API',
    text: 'The Joint API: plain HTTP and JSON with a bearer token, for skripts, files, inputs, secrets, runs, echoes and rows. It is the only part that opens the databases.',
    detail: 'A repeated call with the same Idempotency-Key starts nothing twice.',
    link: { label: 'Every route of the Joint API', to: '/docs/joint-api' },
  },
  {
    title: 'Core websocket API',
    text: 'Everything live: echoes while your code runs, and each change of a run’s state. Echoes carry numbers, so you see whether you have missed some.',
    detail: 'Trawl saves everything that you see live; you search it later or download it as CSV.',
    link: { label: 'How echoes travel', to: '/docs/tech/echo-messages' },
  },
  {
    title: 'Worker',
    text: 'A Node.js program that dials out to the platform, takes runs, gives each a process, and hands back echoes, rows and the result. Add as many as you have machines.',
    detail: 'It needs no open port, so one behind a firewall works too.',
    link: { label: 'How to add a worker', to: '/docs/tech/workers' },
  },
];

const FEATURES: ClaimId[] = [
  'editing',
  'startStop',
  'pause',
  'echoes',
  'scheduler',
  'retries',
  'issues',
  'mongodb',
  'postgresql',
  'exports',
  'imports',
  'notifications',
  'jointApi',
  'commandLine',
  'secrets',
  'language',
  'npm',
  'browser',
  'stealth',
  'proxies',
  'pace',
  'workers',
  'backends',
  'accounts',
  'sandbox',
  'systems',
  'windowsWorkers',
  'python',
];

export const PLATFORM_FEATURES: FeatureClaim[] = FEATURES.map(id => FEATURE_CLAIMS[id]);

export const FEATURE_STATES: Record<FeatureClaim['state'], string> = {
  here: 'In this version',
  partly: 'Partly',
  planned: 'Planned',
};

export const INTENDED_USE = {
  title: 'What it is meant for',
  fits: {
    title: 'A good fit',
    points: [
      'Collecting public data again and again, when a record of each run matters.',
      'Watching prices, stock, listings or registers, and storing only what changed.',
      'Chains of requests: read here, clean, compare, write there.',
      'One skript with many inputs: store each once, then choose it and press Run.',
      'Teams that must keep code and data on machines of their own.',
    ],
  },
  misfits: {
    title: 'Not meant for',
    points: [
      'Getting past logins, paywalls or CAPTCHAs without permission.',
      'Collecting data about people without a purpose and a legal basis.',
      'Sending as many requests as a site can bear, or more.',
      'Serving web pages or answering requests of your customers: a run begins, works and ends.',
    ],
  },
};

export const LANGUAGE = {
  title: 'JavaScript is the script language',
  text: [
    'A skript is a folder of files with a main.js that exports one async function. You give it an input, and you get what it returns as the output. There is no framework to learn, and no file that only the platform can read: paste it into a Node.js project and it still makes sense.',
    'This one reads a list that the page’s own script fetches. It takes the JSON behind the page instead of the page, and stores the dates as dates.',
  ],
  python: claimed('python'),
  link: { label: 'The whole contract of a skript', to: '/docs/tech/skripts' },
};

export const ADVANTAGES = [
  {
    title: 'No run gets lost',
    text: claimed('endings', 'workerLost'),
  },
  {
    title: 'Nothing runs unseen',
    text: 'Each message reaches the panel while the code works and stays readable afterwards, with numbers that show whether one is missing.',
  },
  {
    title: 'Errors lead to your line',
    text: 'Source maps bring each failure back to the file and line you wrote, in the bundle step as in the run.',
  },
  {
    title: 'Workers anywhere',
    text: 'They dial out. A server, an office machine and a small computer at home can serve the same platform, side by side.',
  },
  {
    title: 'Your machines, your data',
    text: 'Two databases and one program under a free licence. Trawl sends nothing to anybody else, and nobody else can switch it off.',
  },
  {
    title: 'One command to try',
    text: claimed('start'),
  },
];
