/**
 * Texts in the built website that the backend replaces with its settings when it starts, so that one build serves every
 * installation. The operator contains blanks, so that its attributes keep their quotation marks in minified HTML.
 */
export const SITE_PLACEHOLDERS = {
  publicUrl: 'https://public-url.trawl.invalid',
  email: 'site-email@trawl.invalid',
  operator: 'The operator of this website (placeholder)',
};
