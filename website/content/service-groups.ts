/** Groups of services in their order in menus and on /services. A service refers to its group by `id`. */
export const SERVICE_GROUPS = [
  {
    id: 'data-scraping',
    title: 'Data Scraping',
    text: 'Rows out of pages, pictures, documents, apps and forms.',
  },
  {
    id: 'data-monitoring',
    title: 'Data Monitoring',
    text: 'The same sources read again and again, with each change kept.',
  },
  {
    id: 'ai',
    title: 'AI',
    text: 'Text with its tone, and data sets for models to learn from.',
  },
  {
    id: 'coding',
    title: 'Coding',
    text: 'Skripts, apps and extensions, with their source.',
  },
  {
    id: 'daas-and-apis',
    title: 'DaaS and APIs',
    text: 'Data as a running supply, and the API that carries it.',
  },
  {
    id: 'misc',
    title: 'Misc',
    text: 'Data as it happens, and data from the chains.',
  },
] as const;

export type ServiceGroupId = (typeof SERVICE_GROUPS)[number]['id'];
