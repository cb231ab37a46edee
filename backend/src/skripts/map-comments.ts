/**
 * esbuild reads what a comment `//# sourceMappingURL=…` names, from the machine's disk too, and the sources which a map
 * in a `data:` address names. So no such comment reaches it: one letter is written as an escape, which means the same in
 * a string, a template, a regular expression, a name and in JSON, and makes a comment an ordinary one. (`String.raw` sees
 * the escape; and the rest of that line stands five columns further right in the bundle's source map.)
 */
export const withoutMapComments = (code: string): string =>
  code.replace(/([#@][^\S\r\n]*sourceMappin)g(?=URL)/g, '$1\\u0067');

/** The text as its author wrote it. */
export const withMapComments = (code: string): string =>
  code.replace(/([#@][^\S\r\n]*sourceMappin)\\u0067(?=URL)/g, '$1g');
