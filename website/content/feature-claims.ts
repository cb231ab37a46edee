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
    text: 'One command starts databases, a worker, the panel and a practice shop to scrape, without Docker, root rights or an account. Started as root on Linux, the worker also gives each run the full sandbox.',
    proof: '/docs/install',
    shown: ['One command starts Trawl', 'neither Docker nor an account', 'As root, the worker gives each run the'],
  },
  editing: {
    name: 'Script editing',
    state: 'here',
    text: 'The editor knows JavaScript and TypeScript, with types as you write. A build names file, line and column of a mistake before anything runs, and each build is a version that you can compare and restore.',
    proof: '/docs/web-panel/skripts',
    shown: ['lists problems with file, line and column', 'TypeScript', 'Every build creates a version', 'Restore'],
  },
  startStop: {
    name: 'Start and stop',
    state: 'here',
    text: 'You start and stop runs in the panel or by a call. A stop first tells the skript, so that it can finish what it holds, and kills its processes two seconds later.',
    proof: '/docs/tech/skript-execution',
    shown: ['After 2 s the process is killed'],
  },
  pause: {
    name: 'Pause and resume',
    state: 'here',
    text: 'A pause freezes every process of a run, and its time limit with it. The run continues from there when you resume it. Workers on Linux can pause.',
    proof: '/docs/tech/skript-execution',
    shown: [
      'freezes every process of the run',
      'the run’s time limit does not count',
      'Workers pause runs under Linux',
    ],
  },
  echoes: {
    name: 'Real-time echoes',
    state: 'here',
    text: 'You read each message of a run while it works: text, warnings, errors, objects, tables, progress and pictures. Trawl saves them; you search them later or download them as CSV.',
    proof: '/docs/web-panel/echoes',
    shown: ['The CSV file has all echoes of the run', 'Type part of the text'],
  },
  scheduler: {
    name: 'Scheduler',
    state: 'here',
    text: 'You schedule a skript in the panel with a cron expression and a time zone, see the next five times before you save, and find for each time its run, or the reason why there is none.',
    proof: '/docs/web-panel/scheduler',
    shown: ['Time zone', 'the next five times', 'the reason why there is none', 'New schedule'],
  },
  retries: {
    name: 'Retries',
    state: 'here',
    text: 'You set how many times Trawl retries a failed run, from 0, the default, to 10. With retries, a run also starts again after Trawl has lost its worker.',
    proof: '/docs/tech/skript-execution',
    shown: ['With `retries`', '`worker_lost`', 'is tried again'],
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
    text: 'Each account has a database. A skript uses the methods of MongoDB’s own driver, without a password in its code, and the panel shows, filters and changes documents.',
    proof: '/docs/web-panel/storage',
    shown: ['Tasks: MongoDB', 'Add filter', 'Change a document'],
  },
  postgresql: {
    name: 'PostgreSQL storage',
    state: 'here',
    text: 'Each account has a PostgreSQL database too. A skript executes queries and transactions without a password in its code, and the panel shows tables and has an SQL console.',
    proof: '/docs/web-panel/storage',
    shown: ['Tasks: PostgreSQL', 'SQL console'],
  },
  exports: {
    name: 'Export',
    state: 'here',
    text: 'Collections, tables, SQL queries and the rows of a run become CSV, Excel, JSON or Parquet files: once, after each run, or on a schedule. Trawl can send them to a URL or to S3.',
    proof: '/docs/web-panel/exporters',
    shown: ['CSV, Excel, JSON', 'Parquet', 'after each run of a skript, or on a schedule', 'upload the file to S3'],
  },
  imports: {
    name: 'Import',
    state: 'here',
    text: 'CSV, Excel, JSON, NDJSON and Parquet files become documents or table rows. The panel shows the first rows and their types before you start, and every bad row with its reason.',
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
    text: 'What you can click in the panel, you can call: the panel uses the same API. Calls carry an API key of one of three scopes, and generators make clients from its OpenAPI document.',
    proof: '/docs/joint-api',
    shown: ['`read`, `run` or `all`', 'openapi.yaml', 'generated'],
  },
  commandLine: {
    name: 'Command line',
    state: 'here',
    text: 'trawl-cli runs, checks and uploads skripts from your own editor and follows their runs.',
    proof: '/docs/libs/trawl-cli',
    shown: ['trawl start', 'trawl check', 'trawl upload'],
  },
  secrets: {
    name: 'Inputs and secrets',
    state: 'here',
    text: 'You store JSON values with a skript. Trawl encrypts secrets, does not show a saved one again, and writes [secret] in its place in echoes, errors and outputs.',
    proof: '/docs/tech/skripts',
    shown: ['Secrets are stored encrypted', 'a value is never shown again', 'the worker writes `[secret]`'],
  },
  language: {
    name: 'JavaScript and TypeScript',
    state: 'here',
    text: 'You write JavaScript or TypeScript for Node.js 24, or for Node.js 22 if the skript asks for it, as CommonJS or ES modules.',
    proof: '/docs/tech/skripts',
    shown: ['main.ts', 'Runs use Node 24', 'ES modules'],
  },
  npm: {
    name: 'Any npm library',
    state: 'here',
    text: 'You name a library in the skript’s package.json. Trawl locks its exact version and installs it once on a worker without its install scripts, so libraries that compile themselves do not work.',
    proof: '/docs/tech/skripts',
    shown: ['the exact version', 'Installed once on each worker', 'Install scripts are not run'],
  },
  browser: {
    name: 'Browser automation',
    state: 'here',
    text: 'Puppeteer, Playwright and Crawlee use a Chromium that has already started. When a run with Puppeteer fails, its echoes show the page.',
    proof: '/docs/tech/skripts',
    shown: ['Puppeteer', 'Playwright', 'that is already started', 'When the run fails'],
  },
  stealth: {
    name: 'Anti-bot evasion',
    state: 'partly',
    text: 'puppeteer-extra with its stealth plugin hides the signs of a headless browser, and got-scraping sends the headers of a browser with a screen.',
    proof: '/docs/libs/puppeteer-extra',
    shown: ['stealth', 'hides the signs by which pages recognise a browser'],
  },
  proxies: {
    name: 'Proxies',
    state: 'partly',
    text: 'You use a proxy of your own: its URL is an option of the HTTP libraries, and its password an input secret. Trawl includes no proxy addresses and solves no CAPTCHAs.',
    proof: '/docs/libs/httpclient',
    shown: ['`proxyUrl`', 'input secret'],
  },
  pace: {
    name: 'Pace',
    state: 'here',
    text: 'The HTTP client keeps a delay for each host, waits as long as a busy site asks, and can obey robots.txt.',
    proof: '/docs/libs/httpclient',
    shown: ['Delays per host', 'the client obeys robots.txt', 'as long as the server’s `Retry-After` asks'],
  },
  cleaning: {
    name: 'Each thing once',
    state: 'here',
    text: 'Trawl stores a row with a key once, even if it retries the run, and a unique index keeps duplicates out of a collection.',
    proof: '/docs/libs/storage',
    shown: ['Keys of rows', 'unique'],
  },
  code: {
    name: 'Code instead of a visual editor',
    state: 'here',
    text: 'Flows and cleaning are code: Trawl has no visual editor.',
    proof: '/docs/tech/comparison',
    shown: ['Trawl has no visual editor'],
  },
  workers: {
    name: 'Workers anywhere',
    state: 'here',
    text: 'A worker connects to the platform from any machine, also behind a firewall. There is no limit to their number, and one key adds a whole group.',
    proof: '/docs/tech/workers',
    shown: ['more can join from other machines', 'All processes of a group have the same'],
  },
  backends: {
    name: 'Several backends',
    state: 'here',
    text: 'One backend serves most platforms. Several run side by side behind a load balancer, so that you can update or lose one without an outage.',
    proof: '/docs/tech/several-backends',
    shown: ['One backend serves most platforms', 'update or lose one without an outage'],
  },
  sandbox: {
    name: 'Sandbox',
    state: 'partly',
    text: 'On Linux, each run has a sandbox. Its five layers need a worker started as root; without root a worker has fewer and says which are missing. A worker with fewer layers runs only skripts of the two accounts that the first start makes.',
    proof: '/docs/tech/workers',
    shown: ['five layers', 'Linux, as root', 'two accounts made at the first start only'],
  },
  systems: {
    name: 'Linux',
    state: 'partly',
    text: 'Linux on x64 or arm64. Trawl’s tests run there. It may start on macOS and Windows, where it is untested and runs have no sandbox.',
    proof: '/docs/tech/workers',
    shown: ['Trawl’s own tests run on Linux', 'macOS, Windows'],
  },
  workerLost: {
    name: 'Lost workers',
    state: 'here',
    text: 'If a worker stops responding, its runs end with worker_lost. Those with retries left start again, on that worker or on another. The others stay ended, and their rows and echoes stay.',
    proof: '/docs/tech/skript-execution',
    shown: ['end `worker_lost`', '`worker_lost` or `worker_restarted` is tried again'],
  },
  endings: {
    name: 'A reason for every ending',
    state: 'here',
    text: 'An accepted run does not disappear. It starts at most once, ends exactly once, and says why it ended or what it waits for.',
    proof: '/docs/tech/skript-execution',
    shown: ['A run that was accepted never disappears', '`error_code`', '`waiting_for`'],
  },
  accounts: {
    name: 'Accounts',
    state: 'here',
    text: 'Each account sees only its own data and has quotas. Administrators manage accounts, assign workers and read an audit log.',
    proof: '/docs/web-panel/dashboard',
    shown: ['Audit log', 'quotas', 'Add a user'],
  },
  python: {
    name: 'Python',
    state: 'planned',
    text: 'Python is in progress and not available. You can mark a skript as Python today; Trawl refuses to start it and tells you why.',
    proof: '/docs/tech/skript-execution',
    shown: ['`python` none has'],
  },
  windowsWorkers: {
    name: 'Workers on Windows',
    state: 'planned',
    text: 'Windows is untested. A worker there has no sandbox and cannot pause runs.',
    proof: '/docs/tech/workers',
    shown: ['macOS, Windows', 'runs cannot be paused'],
  },
} satisfies Record<string, FeatureClaim>;

export type ClaimId = keyof typeof FEATURE_CLAIMS;

/** Returns the sentences of the claims, for a paragraph. */
export const claimed = (...ids: ClaimId[]): string => ids.map(id => FEATURE_CLAIMS[id].text).join(' ');
