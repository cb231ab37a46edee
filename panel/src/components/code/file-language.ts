import { javascript } from '@codemirror/lang-javascript';
import { json } from '@codemirror/lang-json';
import type { Extension } from '@codemirror/state';

/** Returns the highlighting for a file of a skript by its name. */
export const fileLanguage = (fileName: string): Extension => {
  if (/\.[cm]?[jt]sx?$/.test(fileName))
    return javascript({ jsx: /x$/.test(fileName), typescript: /\.[cm]?tsx?$/.test(fileName) });
  return fileName.endsWith('.json') ? json() : [];
};
