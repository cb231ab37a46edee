import type { PageWords } from '../../src/components/metadata/page-meta';

/** Texts of /platform, as plain text without Markdown. */
export const PLATFORM_PAGE: PageWords & { heading: string; lead: string } = {
  title: 'The platform: panel, APIs and workers',
  heading: 'Your scripts, run somewhere else, in plain sight',
  description:
    'How Trawl is put together: web panel, core API, core websocket API and workers, what each feature does in this version, and what it is meant for.',
  keywords: [
    'web scraping platform',
    'serverless scraping',
    'browser automation platform',
    'Node.js workers',
    'websocket echoes',
    'JavaScript scraping',
  ],
  lead: 'Trawl is a serverless platform for web scraping, data mining and browser automation. You write skripts in JavaScript; workers run them on machines of your choice; you watch each message as it is made and keep every row.',
};

export const DESCRIPTION = {
  title: 'What it is',
  text: [
    'A scraper on somebody’s laptop works until the lid is closed. On a server of its own it works until nobody remembers which server. Trawl takes the place of both: the code lives in one panel, runs on whichever worker has a free slot, and leaves a record of what it did.',
    'Each run is a process of its own with a time limit. It gets an input, sends echoes while it works, stores rows in MongoDB, and ends in one of three ways: finished, stopped by somebody, or failed with the file and line that failed. A run that was accepted never disappears.',
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
    text: 'Where people work: write and bundle skripts, start and stop runs, watch echoes arrive, read rows and past runs. An app in the browser, with an editor that knows JavaScript.',
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
    text: 'What is live: echoes while they are made, and each change of a run’s state. Echoes carry numbers, so a viewer who joins late, or misses some, can tell.',
    detail: 'What you see live is also saved in full, and can be searched and downloaded as CSV.',
    link: { label: 'How echoes travel', to: '/docs/tech/echo-messages' },
  },
  {
    title: 'Worker',
    text: 'A Node.js program that dials out to the platform, takes runs, gives each a process, and hands back echoes, rows and the result. Add as many as you have machines.',
    detail: 'It needs no open port, so one behind a firewall works too.',
    link: { label: 'How to add a worker', to: '/docs/tech/workers' },
  },
];

interface PlatformFeature {
  name: string;
  /** Says whether the feature exists in this version. For `partly`, `text` says what is missing. */
  state: 'here' | 'partly' | 'planned';
  text: string;
}

export const PLATFORM_FEATURES: PlatformFeature[] = [
  {
    name: 'Script editing',
    state: 'here',
    text: 'An editor that knows JavaScript, for as many files as a skript needs, and a bundle step that names file, line and column of a mistake before anything runs.',
  },
  {
    name: 'Start and stop',
    state: 'here',
    text: 'From the panel or by a call. A stop first tells the skript, so that it can finish what it holds, and kills it two seconds later.',
  },
  {
    name: 'Pause and resume',
    state: 'here',
    text: 'Every process of a run stands still where it is, whatever it does, and goes on from there, its time limit with it.',
  },
  {
    name: 'Real-time echoes',
    state: 'here',
    text: 'Text, warnings, errors, objects and pictures over a websocket, and kept for later.',
  },
  {
    name: 'Scheduler',
    state: 'partly',
    text: 'Runs by a cron expression in any time zone, with a record of each time it was due. Schedules are made through the API; a screen in the panel comes later.',
  },
  {
    name: 'MongoDB storage',
    state: 'here',
    text: 'A database for each account, with the methods of MongoDB’s own driver inside a skript and without a password in its code.',
  },
  {
    name: 'PostgreSQL storage',
    state: 'partly',
    text: 'A database for each account, with queries, transactions and cursors inside a skript and without a password in its code. Tables and SQL are reached through the API; a screen in the panel comes later.',
  },
  {
    name: 'Import and export',
    state: 'partly',
    text: 'Collections and rows of runs export as CSV, JSON, NDJSON, XLSX or Parquet, also at set times and to S3. CSV, JSON and NDJSON files import with a preview of their types. Both go through the API; screens in the panel come later.',
  },
  {
    name: 'Notifications',
    state: 'partly',
    text: 'Signed webhooks and e-mails tell of runs that failed or ended, missed schedules and lost workers. They are set up through the API; a screen in the panel comes later.',
  },
  {
    name: 'Joint API',
    state: 'here',
    text: 'Every action of the panel as a call, with API keys that may read, run or do all, an OpenAPI document for generators of clients, and a form in the panel for trying each route.',
  },
  {
    name: 'Inputs and secrets',
    state: 'here',
    text: 'JSON values stored with a skript. Secrets are encrypted, never shown again, and blotted out in echoes and errors.',
  },
  {
    name: 'Any npm library',
    state: 'here',
    text: 'Named in a package.json of the skript, kept to exact versions, installed once on a worker without running a script of it.',
  },
  {
    name: 'Workers on Windows',
    state: 'planned',
    text: 'Workers of this version are tested on Linux servers.',
  },
  {
    name: 'Full sandbox',
    state: 'partly',
    text: 'On Linux, where the worker may run as root. Elsewhere a worker has weaker layers, says which, and runs only the code of the first accounts.',
  },
];

export const FEATURE_STATES: Record<PlatformFeature['state'], string> = {
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
    'A skript is a folder of files with a main.js that exports one async function. What it is given is its input, what it returns is its output. There is no framework to learn, and no file that only the platform can read: paste it into a Node.js project and it still makes sense.',
    'This one reads a list that the page’s own script fetches. It takes the JSON behind the page instead of the page, and stores the dates as dates.',
  ],
  python:
    'Python is in progress and not available yet. A skript can be marked as Python; starting it is refused, with a message that says so.',
  link: { label: 'The whole contract of a skript', to: '/docs/tech/skripts' },
};

export const ADVANTAGES = [
  {
    title: 'No run gets lost',
    text: 'A run is started at most once and ended exactly once, through restarts of the platform and lost connections. When a machine dies, the run says so and is not repeated behind your back.',
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
    text: 'Two databases and one program under a free licence. Nothing is sent to anybody else, and nobody can switch it off for you.',
  },
  {
    title: 'One command to try',
    text: 'One npm start brings databases, a worker, the panel and a practice shop to scrape. No Docker, no root, no account.',
  },
];
