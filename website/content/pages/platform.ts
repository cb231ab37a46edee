import type { PageWords } from '../../src/components/metadata/page-meta';
import { type ClaimId, claimed, FEATURE_CLAIMS, type FeatureClaim } from '../feature-claims';

/** Texts of /platform, as plain text without Markdown. */
export const PLATFORM_PAGE: PageWords & { heading: string; lead: string } = {
  title: 'The platform: panel, APIs and workers',
  heading: 'Workers run your scripts, and you see everything',
  description:
    'The parts of Trawl: web panel, core API, core websocket API and workers. What each feature does in this version, and for which work you can use Trawl.',
  keywords: [
    'web scraping platform',
    'serverless scraping',
    'browser automation platform',
    'Node.js workers',
    'websocket echoes',
    'JavaScript scraping',
  ],
  lead: 'Trawl is a serverless platform for web scraping, data mining and browser automation. You need no server for your skript: workers run it, on your own machines or on the machines of your host. You watch each message of a run live and keep every row.',
};

export const DESCRIPTION = {
  title: 'What it is',
  text: [
    'A scraper on your laptop works until you close the lid. A scraper on its own server works until nobody remembers which server it is. Trawl replaces both. You keep the code in one panel, and any worker with a free slot runs your code. You get a record of each run.',
    'Each run is a separate process with a time limit. A run gets an input, sends echoes while it works, and stores rows in MongoDB or PostgreSQL. A run ends in one of three ways: it finishes, somebody stops it, or it fails. If it fails, you see the file and the line. An accepted run never disappears.',
  ],
  picture: {
    name: 'skript-editor',
    alt: 'A skript in the panel: its file main.js in the editor, the bundle up to date, and the buttons Bundle and Run.',
    caption: 'A skript in the web panel. Bundle shows you mistakes before Run starts anything.',
  },
};

export const CORE_COMPONENTS = [
  {
    title: 'Web panel',
    text: 'The panel is an app in your browser. In the panel you write and bundle skripts, start and stop runs, watch echoes arrive, and read rows and past runs. The editor of the panel knows JavaScript.',
    detail: 'The panel does everything through the two APIs below. The panel has no private routes.',
    link: { label: 'The panel, section by section', to: '/docs/web-panel/dashboard' },
  },
  {
    title: 'Core API',
    text: 'The core API is the Joint API: plain HTTP and JSON with a bearer token. Your programs use it for skripts, files, inputs, secrets, runs, echoes and rows. No other part of Trawl opens the databases.',
    detail: 'If you repeat a call with the same Idempotency-Key, the API does not start a second run.',
    link: { label: 'Every route of the Joint API', to: '/docs/joint-api' },
  },
  {
    title: 'Core websocket API',
    text: 'The websocket API sends you live data: echoes while your code runs, and each change of a run’s state. Echoes have numbers, so you see if an echo is missing.',
    detail: 'Trawl saves all echoes that you see live. You can search them later or download them as CSV.',
    link: { label: 'How echoes travel', to: '/docs/tech/echo-messages' },
  },
  {
    title: 'Worker',
    text: 'A worker is a Node.js program that connects to the platform and accepts runs. The worker starts a process for each run, and sends back echoes, rows and the result. You can add as many workers as you have machines.',
    detail: 'A worker needs no open port, so it also works behind a firewall.',
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
      'Watching prices, stock, listings or registers, and storing only the changes.',
      'Chains of steps: read data from one place, clean it, compare it, and write it to another place.',
      'One skript with many inputs: you store each input once, then choose an input and press Run.',
      'Work for which your code and data must stay on your own machines.',
    ],
  },
  misfits: {
    title: 'Not meant for',
    points: [
      'Getting past logins, paywalls or CAPTCHAs without permission.',
      'Collecting data about people without a purpose and a legal basis.',
      'Sending so many requests that they overload a site.',
      'Serving web pages, or answering requests of your customers. A run starts, works and ends; it is not a server.',
    ],
  },
};

export const LANGUAGE = {
  title: 'JavaScript is the script language',
  text: [
    'A skript is a folder of files with a main.js that exports one async function. You give this function an input, and the value that it returns is the output. You do not need to learn a framework. No file has a format that only Trawl can read: you can paste a skript into a Node.js project and use it there.',
    'The page in this example loads a list as JSON with its own script. The skript below reads the same JSON instead of the HTML page, and stores the dates as dates.',
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
    text: 'You see each message in the panel while the code works, and you can still read it afterwards. Messages have numbers, so you see if a message is missing.',
  },
  {
    title: 'Errors lead to your line',
    text: 'If a bundle or a run fails, you see the file and the line in the code that you wrote. Trawl uses source maps for this.',
  },
  {
    title: 'Workers anywhere',
    text: 'Workers connect to the platform, not the other way round. A server, an office machine and a small computer at home can work for the same platform at the same time.',
  },
  {
    title: 'Your machines, your data',
    text: 'Trawl consists of two databases and one program under a free licence. Trawl sends no data to anybody else, and nobody else can switch it off.',
  },
  {
    title: 'One command to try',
    text: claimed('start'),
  },
];
