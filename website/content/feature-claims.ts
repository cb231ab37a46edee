/** A claim of a marketing page about one feature, and the page of the docs that proves it. */
export interface FeatureClaim {
  name: string;
  /** Whether this version has the feature. For `partly` and `planned`, `text` says what is missing. */
  state: 'here' | 'partly' | 'planned';
  /** Plain text, which pages show as it is. */
  text: string;
  /** Route of the docs page. */
  proof: string;
  /** Words of that page without which the claim would be unproven. */
  shown: string[];
}

/**
 * Every feature that a marketing page claims or denies. The pages take the sentences from here. A test opens the docs
 * page of each claim and looks for the words that prove it.
 */
export const FEATURE_CLAIMS = {
  start: {
    name: 'One command',
    state: 'here',
    text: 'One command starts the databases, a worker, the panel and a practice shop to scrape. You need no Docker, no root rights and no account. If you start Trawl as root on Linux, the worker gives each run the full sandbox.',
    proof: '/docs/install',
    shown: ['One command starts Trawl', 'neither Docker nor an account', 'As root, the worker gives each run the'],
  },
  editing: {
    name: 'Script editing',
    state: 'here',
    text: 'The editor knows JavaScript and TypeScript, and shows types while you write. Before anything runs, a build tells you the file, line and column of each mistake. Each build is a version that you can compare and restore.',
    proof: '/docs/web-panel/skripts',
    shown: ['lists problems with file, line and column', 'TypeScript', 'Every build creates a version', 'Restore'],
  },
  startStop: {
    name: 'Start and stop',
    state: 'here',
    text: 'You start and stop runs in the panel or through the API. When you stop a run, Trawl first tells the skript, so that it can finish its work. If the run has not ended after two seconds, Trawl kills its processes.',
    proof: '/docs/tech/skript-execution',
    shown: ['After 2 s, the worker kills this process'],
  },
  pause: {
    name: 'Pause and resume',
    state: 'here',
    text: 'When you pause a run, Trawl freezes all its processes and stops counting its time limit. When you resume the run, it continues where it was. Workers on Linux can pause runs.',
    proof: '/docs/tech/skript-execution',
    shown: [
      'freezes every process of the run',
      'the run’s time limit does not count',
      'Only workers on Linux can pause runs',
    ],
  },
  echoes: {
    name: 'Real-time echoes',
    state: 'here',
    text: 'You read each message of a run while it works: text, warnings, errors, objects, tables, progress and pictures. Trawl saves these messages, so that you can search them later or download them as CSV.',
    proof: '/docs/web-panel/echoes',
    shown: ['The CSV file has all echoes of the run', 'Type part of the text'],
  },
  scheduler: {
    name: 'Scheduler',
    state: 'here',
    text: 'You schedule a skript in the panel with a cron expression and a time zone. Before you save the schedule, you see its next five times. Later you find the run of each time, or the reason why there is none.',
    proof: '/docs/web-panel/scheduler',
    shown: ['Time zone', 'the next five times', 'the reason why there is none', 'New schedule'],
  },
  retries: {
    name: 'Retries',
    state: 'here',
    text: 'You set how many times Trawl retries a failed run: from 0, which is the default, to 10. With retries, Trawl also starts a run again if its worker stops responding.',
    proof: '/docs/tech/skript-execution',
    shown: ['With `retries`', '`worker_lost`', 'Trawl retries a run that ended with'],
  },
  issues: {
    name: 'Failures by cause',
    state: 'here',
    text: 'The panel groups failed runs by their cause. You resolve or mute each group, and a failure that comes back opens it again.',
    proof: '/docs/web-panel/skript-executions',
    shown: ['Failed runs are grouped there by their cause', 'opens it again'],
  },
  mongodb: {
    name: 'MongoDB storage',
    state: 'here',
    text: 'Each account has a MongoDB database. A skript uses the methods of MongoDB’s own driver, and needs no password in its code. In the panel, you see, filter and change documents.',
    proof: '/docs/web-panel/storage',
    shown: ['Tasks: MongoDB', 'Add filter', 'Change a document'],
  },
  postgresql: {
    name: 'PostgreSQL storage',
    state: 'here',
    text: 'Each account also has a PostgreSQL database. A skript executes queries and transactions, and needs no password in its code. The panel shows tables and has an SQL console.',
    proof: '/docs/web-panel/storage',
    shown: ['Tasks: PostgreSQL', 'SQL console'],
  },
  exports: {
    name: 'Export',
    state: 'here',
    text: 'You export collections, tables, results of SQL queries and the rows of a run to CSV, Excel, JSON or Parquet files: once, after each run, or on a schedule. Trawl can send these files to a URL or to S3.',
    proof: '/docs/web-panel/exporters',
    shown: ['CSV, Excel, JSON', 'Parquet', 'after each run of a skript, or on a schedule', 'upload the file to S3'],
  },
  imports: {
    name: 'Import',
    state: 'here',
    text: 'You import CSV, Excel, JSON, NDJSON and Parquet files as documents or table rows. Before you start an import, the panel shows the first rows and their types. The panel also shows every bad row with the reason.',
    proof: '/docs/web-panel/exporters',
    shown: ['CSV, Excel, Parquet, a JSON list, NDJSON', 'first rows', 'bad rows, with the reason of each'],
  },
  notifications: {
    name: 'Notifications',
    state: 'here',
    text: 'Signed webhooks and e-mails tell you of failed runs, missed schedules, lost workers and finished exports. You choose the events in the panel.',
    proof: '/docs/tech/notifications',
    shown: ['in the panel', 'signature', 'e-mail'],
  },
  jointApi: {
    name: 'Joint API',
    state: 'here',
    text: 'Your programs can call everything that you can click in the panel, because the panel uses the same API. Your programs send an API key, which has one of three scopes. You can generate clients from the OpenAPI document of the API.',
    proof: '/docs/joint-api',
    shown: ['`read`, `run` or `all`', 'openapi.yaml', 'generated'],
  },
  commandLine: {
    name: 'Command line',
    state: 'here',
    text: 'With trawl-cli, you write skripts in your own editor. The command line runs, checks and uploads skripts, and shows you their runs.',
    proof: '/docs/libs/trawl-cli',
    shown: ['trawl start', 'trawl check', 'trawl upload'],
  },
  secrets: {
    name: 'Inputs and secrets',
    state: 'here',
    text: 'You store JSON values with a skript, as inputs or as secrets. Trawl encrypts secrets and does not show a saved secret again. In echoes, errors and outputs, it replaces the secret with [secret].',
    proof: '/docs/tech/skripts',
    shown: ['Trawl stores secrets encrypted', 'Trawl never shows its value again', 'the worker writes `[secret]`'],
  },
  language: {
    name: 'JavaScript and TypeScript',
    state: 'here',
    text: 'You write JavaScript or TypeScript, as CommonJS or ES modules. Skripts run with Node.js 24, or with Node.js 22 if the skript asks for it.',
    proof: '/docs/tech/skripts',
    shown: ['main.ts', 'Runs use Node 24', 'ES modules'],
  },
  npm: {
    name: 'Any npm library',
    state: 'here',
    text: 'You add a library to the skript’s package.json. Trawl locks its exact version and installs it once on each worker. Trawl does not run install scripts, so libraries that must be compiled do not work.',
    proof: '/docs/tech/skripts',
    shown: ['the exact version', 'Installed once on each worker', 'Install scripts are not run'],
  },
  browser: {
    name: 'Browser automation',
    state: 'here',
    text: 'Skripts with Puppeteer, Playwright or Crawlee use a Chromium that has already started. When a run with Puppeteer fails, its echoes show a screenshot of the page.',
    proof: '/docs/tech/skripts',
    shown: ['Puppeteer', 'Playwright', 'that is already started', 'When the run fails'],
  },
  stealth: {
    name: 'Anti-bot evasion',
    state: 'partly',
    text: 'The library puppeteer-extra with its stealth plugin hides signs by which pages recognise a headless browser. The library got-scraping sends the same headers as a browser with a screen.',
    proof: '/docs/libs/puppeteer-extra',
    shown: ['stealth', 'hides the signs by which pages recognise a browser'],
  },
  proxies: {
    name: 'Proxies',
    state: 'partly',
    text: 'You bring your own proxies. All connections of a run go through a pool of your proxies. The proxies take turns, or each session keeps one proxy. Trawl includes no proxy addresses and solves no CAPTCHAs.',
    proof: '/docs/recipes/proxies',
    shown: [
      'You bring your own proxies: Trawl has none',
      'All connections of its runs then go through the pool',
      'take turns',
    ],
  },
  pace: {
    name: 'Pace',
    state: 'here',
    text: 'All polite runs of your account together send at most 5 requests a second to a site, or as many as you set. If a busy site asks polite runs to wait, they wait that long. Polite runs also obey robots.txt.',
    proof: '/docs/recipes/be-polite',
    shown: [
      'together send at most 5 requests a second to a domain',
      'as long as `Retry-After` asks',
      'A request that the file disallows fails',
    ],
  },
  cleaning: {
    name: 'Each thing once',
    state: 'here',
    text: 'Trawl stores a row with a key only once, even if it retries the run. A unique index keeps duplicates out of a collection.',
    proof: '/docs/libs/storage',
    shown: ['Keys of rows', 'unique'],
  },
  code: {
    name: 'Code instead of a visual editor',
    state: 'here',
    text: 'You write flows and data cleaning as code: Trawl has no visual editor.',
    proof: '/docs/tech/comparison',
    shown: ['Trawl has no visual editor'],
  },
  workers: {
    name: 'Workers anywhere',
    state: 'here',
    text: 'A worker connects to the platform from any machine, also from behind a firewall. You can add a whole group of workers with one key.',
    proof: '/docs/tech/workers',
    shown: ['more can join from other machines', 'All processes of a group have the same'],
  },
  backends: {
    name: 'Several backends',
    state: 'here',
    text: 'One backend is enough for most platforms. You can also run several backends behind a load balancer, so that you can update or lose one backend without an outage.',
    proof: '/docs/tech/several-backends',
    shown: ['One backend is enough for most platforms', 'update or lose one without an outage'],
  },
  sandbox: {
    name: 'Sandbox',
    state: 'partly',
    text: 'On Linux, each run has a sandbox. The sandbox has all five layers if you start the worker as root. Otherwise it has fewer layers, and the worker tells you which are missing. A worker with fewer layers runs only skripts of the two accounts that the first start of Trawl creates.',
    proof: '/docs/tech/workers',
    shown: ['five layers', 'Linux, as root', 'two accounts that Trawl creates at its first start'],
  },
  systems: {
    name: 'Linux',
    state: 'partly',
    text: 'Trawl runs on Linux with x64 or arm64, where its tests run. Trawl may start on macOS and Windows, but it is untested there and runs have no sandbox.',
    proof: '/docs/tech/workers',
    shown: ['Trawl’s own tests run on Linux', 'macOS, Windows'],
  },
  workerLost: {
    name: 'Lost workers',
    state: 'here',
    text: 'If a worker stops responding, its runs end with worker_lost. If a run has retries left, Trawl starts it again, on the same worker or on another worker. Trawl does not start the other runs again. You keep the rows and echoes of all these runs.',
    proof: '/docs/tech/skript-execution',
    shown: ['end `worker_lost`', 'Trawl retries a run that ended with', '`worker_lost` or `worker_restarted`'],
  },
  endings: {
    name: 'A reason for every ending',
    state: 'here',
    text: 'An accepted run does not disappear. It starts at most once and ends exactly once. You always see what the run waits for, or why it ended.',
    proof: '/docs/tech/skript-execution',
    shown: ['A run that was accepted never disappears', '`error_code`', '`waiting_for`'],
  },
  accounts: {
    name: 'Accounts',
    state: 'here',
    text: 'Each user sees only the data of their own account. Each account has quotas. Administrators manage accounts, assign workers and read an audit log.',
    proof: '/docs/web-panel/dashboard',
    shown: ['Audit log', 'quotas', 'Add a user'],
  },
  python: {
    name: 'Python',
    state: 'planned',
    text: 'Python is in progress and not yet available. You can already mark a skript as Python, but Trawl refuses to start it and tells you why.',
    proof: '/docs/tech/skript-execution',
    shown: ['No worker has `python`'],
  },
  windowsWorkers: {
    name: 'Workers on Windows',
    state: 'planned',
    text: 'Trawl is untested on Windows. A worker on Windows has no sandbox and cannot pause runs.',
    proof: '/docs/tech/workers',
    shown: ['macOS, Windows', 'runs cannot be paused'],
  },
} satisfies Record<string, FeatureClaim>;

export type ClaimId = keyof typeof FEATURE_CLAIMS;

/** Returns the sentences of the claims, for a paragraph. */
export const claimed = (...ids: ClaimId[]): string => ids.map(id => FEATURE_CLAIMS[id].text).join(' ');
