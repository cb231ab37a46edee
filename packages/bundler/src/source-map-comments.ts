/**
 * Makes `//# sourceMappingURL=…` comments harmless. esbuild would read the file that such a comment names from the
 * server's disk, and also the source files that a map in a `data:` URL names. This function replaces one letter by an
 * escape, which means the same in strings, templates, regular expressions, identifiers and JSON. Two side effects:
 * `String.raw` shows the escape, and the rest of the line is five columns further right in the bundle's source map.
 */
export const disarmMapComments = (code: string): string =>
  code.replace(/([#@][^\S\r\n]*sourceMappin)g(?=URL)/g, '$1\\u0067');

/** Reverses `disarmMapComments`. */
export const restoreMapComments = (code: string): string =>
  code.replace(/([#@][^\S\r\n]*sourceMappin)\\u0067(?=URL)/g, '$1g');
