/** Titles and texts of the pages that only list others. Those of the docs are in docs-sections.ts. */
export const INDEX_WORDS = {
  industries: {
    title: 'Industries',
    text: 'What each industry collects, field by field, with sample rows.',
  },
  legal: {
    title: 'Legal pages',
    text: 'The rules of this website and of its accounts, and how the operator handles personal data.',
  },
};
