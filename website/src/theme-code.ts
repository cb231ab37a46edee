import type { PrismTheme } from 'prism-react-renderer';

const colour = (name: string) => ({ color: `var(--code-${name})` });

/** Colours of code as variables of custom.css, so that one theme serves light and dark without a flash. */
export const codeTheme: PrismTheme = {
  plain: { color: 'var(--code-plain)', backgroundColor: 'var(--code-background)' },
  styles: [
    { types: ['comment', 'prolog', 'cdata'], style: { ...colour('comment'), fontStyle: 'italic' } },
    { types: ['punctuation', 'operator'], style: colour('punctuation') },
    { types: ['keyword', 'boolean', 'important', 'atrule', 'builtin'], style: colour('keyword') },
    { types: ['string', 'attr-value', 'char', 'inserted', 'regex'], style: colour('string') },
    { types: ['number', 'constant', 'symbol'], style: colour('number') },
    { types: ['function', 'class-name', 'tag'], style: colour('function') },
    { types: ['property', 'attr-name', 'variable', 'selector'], style: colour('property') },
    { types: ['deleted'], style: colour('deleted') },
  ],
};
