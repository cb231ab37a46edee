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
  lead: 'Trawl is a serverless platform for web scraping, data mining and browser automation: your skript needs no server of its own. Workers run it, on your machines or on your host’s machines. You watch each message of a run live and keep every row.',
};

export const DESCRIPTION = {
  title: 'What it is',
  text: [
    'A scraper on your laptop works until you close the lid. A scraper on its own server works until nobody remembers which server it is. Trawl replaces both. You keep the code in one panel, and any worker with a free slot runs it. You get a record of each run.',
    'Each run is a separate process with a time limit. It gets an input, sends echoes while it works, and stores rows in MongoDB or PostgreSQL. It ends in one of three ways: it finishes, somebody stops it, or it fails. If it fails, you see the file and the line. An accepted run never disappears.',
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
    text: 'You work in the panel: write and bundle skripts, start and stop runs, watch echoes arrive, read rows and past runs. It is an app in your browser. Its editor knows JavaScript.',
    detail: 'The panel has no private routes. It does everything through the two APIs below.',
    link: { label: 'The panel, section by section', to: '/docs/web-panel/dashboard' },
  },
  {
    title: 'Core API',
    text: 'The Joint API: plain HTTP and JSON with a bearer token, for skripts, files, inputs, secrets, runs, echoes and rows. It is the only part that opens the databases.',
    detail: 'If you repeat a call with the same Idempotency-Key, the API does not start a second run.',
    link: { label: 'Every route of the Joint API', to: '/docs/joint-api' },
  },
  {
    title: 'Core websocket API',
    text: 'It sends everything that is live: echoes while your code runs, and each change of a run’s state. Echoes have numbers, so you see whether you have missed one.',
    detail: 'Trawl saves everything that you see live. You can search it later or download it as CSV.',
    link: { label: 'How echoes travel', to: '/docs/tech/echo-messages' },
  },
  {
    title: 'Worker',
    text: 'A worker is a Node.js program that connects to the platform and accepts runs. It gives each run a process, and sends back echoes, rows and the result. Add as many workers as you have machines.',
    detail: 'It needs no open port, so it also works behind a firewall.',
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
      'Collecting public data repeatedly, when you need a record of each run.',
      'Watching prices, stock, listings or registers, and storing only what changed.',
      'Chains of requests: read from one place, clean, compare, write to another place.',
      'One skript with many inputs: store each once, then choose it and press Run.',
      'Teams that must keep code and data on their own machines.',
    ],
  },
  misfits: {
    title: 'Not meant for',
    points: [
      'Getting past logins, paywalls or CAPTCHAs without permission.',
      'Collecting data about people without a purpose and a legal basis.',
      'Sending as many requests as a site can bear, or more.',
      'Serving web pages or answering your customers’ requests: a run starts, works and ends.',
    ],
  },
};

export const LANGUAGE = {
  title: 'JavaScript is the script language',
  text: [
    'A skript is a folder of files with a main.js that exports one async function. You give it an input, and you get what it returns as the output. You need to learn no framework, and no file is in a format that only the platform can read. If you paste a skript into a Node.js project, you can still use it.',
    'The skript below reads a list that the page itself fetches with its own script. It reads this JSON instead of the HTML page, and stores the dates as dates.',
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
    text: 'Each message reaches the panel while the code works, and you can still read it afterwards. Numbers show you whether a message is missing.',
  },
  {
    title: 'Errors lead to your line',
    text: 'Each failure shows the file and the line that you wrote, when you bundle and when you run. Source maps make this possible.',
  },
  {
    title: 'Workers anywhere',
    text: 'Workers connect to the platform, not the other way round. A server, an office machine and a small computer at home can work for the same platform at the same time.',
  },
  {
    title: 'Your machines, your data',
    text: 'Trawl is two databases and one program under a free licence. It sends nothing to anybody else, and nobody else can switch it off.',
  },
  {
    title: 'One command to try',
    text: claimed('start'),
  },
];
