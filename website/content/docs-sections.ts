/** The cards of /docs. */
export const DOCS_SECTIONS = [
  {
    title: 'Technical Solutions',
    folder: 'tech',
    start: '/docs/tech/platform-architecture',
    text: 'Learn how the platform works: workers, skripts, what happens in a run, and what each part guarantees.',
  },
  {
    title: 'Web Panel',
    folder: 'web-panel',
    start: '/docs/web-panel/dashboard',
    text: 'Learn the panel section by section: what each table shows and what each button does.',
  },
  {
    title: 'Joint API',
    folder: 'joint-api',
    start: '/docs/joint-api',
    text: 'Call Trawl from your own programs: every route with its request, response and errors.',
  },
  {
    title: 'JS Libraries',
    folder: 'libs',
    start: '/docs/libs/echo',
    text: 'Use the command line, the libraries that a skript can require, and a client for your own programs.',
  },
  {
    title: 'Tutorials',
    folder: 'tutorials',
    start: '/docs/tutorials/develop-skript',
    text: 'Go from a checkout of Trawl to stored rows, with a practice site on your own machine. Or move older skripts to Trawl.',
  },
  {
    title: 'Recipes',
    folder: 'recipes',
    start: '/docs/recipes/log-in',
    text: 'Each page shows how to do one task, with code that you can run without changes.',
  },
];

interface TaskCard {
  title: string;
  links: { label: string; to: string }[];
}

/** The first cards of /docs: what people want to do. */
export const DOCS_TASKS: TaskCard[] = [
  {
    title: 'Scrape',
    links: [
      { label: 'Write a first skript', to: '/docs/tutorials/develop-skript' },
      { label: 'Log in with a secret', to: '/docs/recipes/log-in' },
      { label: 'Stay logged in', to: '/docs/recipes/stay-logged-in' },
      { label: 'Scrape a JavaScript page', to: '/docs/recipes/javascript-page' },
      { label: 'Take a screenshot', to: '/docs/recipes/screenshot' },
      { label: 'Use a proxy', to: '/docs/recipes/proxy' },
      { label: 'Use a pool of proxies', to: '/docs/recipes/proxies' },
      { label: 'Crawl a whole site', to: '/docs/recipes/crawl-a-site' },
      { label: 'Be polite', to: '/docs/recipes/be-polite' },
      { label: 'Retry', to: '/docs/recipes/retry' },
    ],
  },
  {
    title: 'Use what you know',
    links: [
      { label: 'TypeScript', to: '/docs/recipes/typescript' },
      { label: 'Playwright', to: '/docs/libs/playwright' },
      { label: 'Crawlee', to: '/docs/libs/crawlee' },
      { label: 'Python client', to: '/docs/recipes/python-client' },
      { label: 'Command line', to: '/docs/libs/trawl-cli' },
      { label: 'Come from the older platform', to: '/docs/tutorials/coming-from-older-skripts' },
      { label: 'Move from Apify', to: '/docs/recipes/from-apify' },
    ],
  },
  {
    title: 'Run and deliver',
    links: [
      { label: 'Schedule a skript', to: '/docs/web-panel/scheduler' },
      { label: 'Set the time zone', to: '/docs/recipes/time-zone' },
      { label: 'Send rows to S3 every night', to: '/docs/recipes/s3-nightly' },
      { label: 'Get notified', to: '/docs/tech/notifications' },
      { label: 'See why a run ended', to: '/docs/tech/skript-execution' },
      { label: 'What to do about worker_lost', to: '/docs/recipes/worker-lost' },
    ],
  },
  {
    title: 'Operate',
    links: [
      { label: 'Install', to: '/docs/install' },
      { label: 'Add a worker', to: '/docs/tech/workers' },
      { label: 'Docker Compose', to: '/docs/tech/docker-compose' },
      { label: 'Upgrade', to: '/docs/tech/upgrade' },
      { label: 'Back up and restore', to: '/docs/tech/backups' },
      { label: 'Compare with other tools', to: '/docs/tech/comparison' },
    ],
  },
];
