/** The five cards of /docs. A section whose folder holds no page yet says what it will hold. */
export const DOCS_SECTIONS = [
  {
    title: 'Technical Solutions',
    folder: 'tech',
    text: 'How the platform is built: workers, skripts, what happens in a run, and what each part promises.',
    absent: 'No pages yet.',
  },
  {
    title: 'Web Panel',
    folder: 'web-panel',
    text: 'The panel section by section: what each table shows and what each button does.',
    absent: 'No pages yet. The panel itself is there: each empty list says what to do next.',
  },
  {
    title: 'Joint API',
    folder: 'joint-api',
    text: 'Every route with its request, answer and errors, for programs of your own.',
    absent: 'No pages yet. The panel uses the same routes, so a browser’s network tab shows each of them at work.',
  },
  {
    title: 'JS Libraries',
    folder: 'libs',
    text: 'What a skript can require: echo messages, storage, and the tools around them.',
    absent: 'No pages yet.',
  },
  {
    title: 'Tutorials',
    folder: 'tutorials',
    text: 'From an empty folder to stored rows, against a practice site that runs on your own machine.',
    absent: 'No pages yet.',
  },
];
