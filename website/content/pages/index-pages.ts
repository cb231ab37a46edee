/** Titles and texts of the pages that only list others. Those of the docs are in docs-sections.ts. */
export const INDEX_WORDS = {
  industries: {
    title: 'Industries',
    text: 'For each industry, you see which data you can collect, field by field, with sample rows.',
  },
  legal: {
    title: 'Legal pages',
    text: 'The rules of this website and of its accounts, and how the operator handles personal data.',
  },
};
