/** Groups of services in their order in menus and on /services. A service refers to its group by `id`. */
export const SERVICE_GROUPS = [
  {
    id: 'data-scraping',
    title: 'Data Scraping',
    text: 'Get rows from pages, pictures, documents, apps and forms.',
  },
  {
    id: 'data-monitoring',
    title: 'Data Monitoring',
    text: 'Read the same sources again and again, and keep each change.',
  },
  {
    id: 'ai',
    title: 'AI',
    text: 'Find the tone of texts, and make data sets to train models.',
  },
  {
    id: 'coding',
    title: 'Coding',
    text: 'Get skripts, apps and extensions, with their source code.',
  },
  {
    id: 'daas-and-apis',
    title: 'DaaS and APIs',
    text: 'Get data delivered regularly, or through the API.',
  },
  {
    id: 'misc',
    title: 'Misc',
    text: 'Get data in real time, and data from blockchains.',
  },
] as const;

export type ServiceGroupId = (typeof SERVICE_GROUPS)[number]['id'];
