/** The five cards of /docs. */
export const DOCS_SECTIONS = [
  {
    title: 'Technical Solutions',
    folder: 'tech',
    start: '/docs/tech/platform-architecture',
    text: 'How the platform is built: workers, skripts, what happens in a run, and what each part promises.',
  },
  {
    title: 'Web Panel',
    folder: 'web-panel',
    start: '/docs/web-panel/dashboard',
    text: 'The panel section by section: what each table shows and what each button does.',
  },
  {
    title: 'Joint API',
    folder: 'joint-api',
    start: '/docs/joint-api',
    text: 'Every route with its request, answer and errors, for programs of your own.',
  },
  {
    title: 'JS Libraries',
    folder: 'libs',
    start: '/docs/libs/echo',
    text: 'The command line, the libraries that a skript can require, and a client for your own programs.',
  },
  {
    title: 'Tutorials',
    folder: 'tutorials',
    start: '/docs/tutorials/develop-skript',
    text: 'From a checkout of Trawl to stored rows, against a practice site on your own machine. And how to bring older skripts along.',
  },
];
