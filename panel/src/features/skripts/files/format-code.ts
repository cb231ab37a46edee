import type { Options, Plugin } from 'prettier';
import { formatJson } from '../../../components/code/format-json.js';

/** The style of the sample skripts. */
const STYLE: Options = { printWidth: 120, singleQuote: true, arrowParens: 'avoid' };

export const canFormat = (fileName: string): boolean => /\.(?:[cm]?[jt]sx?|json)$/.test(fileName);

/** Formats code. Rejects with an error that names the place if the code is not valid. */
export async function formatCode(fileName: string, text: string): Promise<string> {
  if (fileName.endsWith('.json')) return formatJson(text);
  const [{ format }, babel, estree] = await Promise.all([
    import('prettier/standalone'),
    import('prettier/plugins/babel'),
    import('prettier/plugins/estree'),
  ]);
  const parser = /\.[cm]?tsx?$/.test(fileName) ? 'babel-ts' : 'babel';
  try {
    return await format(text, { ...STYLE, parser, plugins: [babel, estree as Plugin] });
  } catch (error) {
    throw new Error(syntaxErrorWords(error));
  }
}

/** Words of a syntax error without the lines of code that Prettier adds to its message. */
function syntaxErrorWords(error: unknown): string {
  const { message, loc } = error as Error & { loc?: { start?: { line: number; column: number } } };
  const [first = ''] = message.split('\n');
  if (!loc?.start) return first;
  const { line, column } = loc.start;
  return `Correct line ${line}, column ${column} first: ${first.replace(/ \(\d+:\d+\)$/, '')}`;
}
