// @ts-check

/** @typedef {{ line: number, text: string }} Sentence with the line on which its paragraph begins */

const COMMENT_LINE = /^\s*(?:\/\/|\/\*\*?|\*(?!\/))\s?(.*?)\s*(?:\*\/)?$/;
const COMMENT_BEHIND_CODE = /\S.*?\s(?:\/\/|\/\*\*)\s(.*?)\s*(?:\*\/)?$/;
const API_TEXT = /\b(?:description|summary):\s*(['"`])(.+?)\1/g;
const MARKDOWN_MARKER = /^(?:[-*#>|]|\d+\.)+\s*/;

/**
 * Returns the sentences of a file that people read: in code, the comments and API texts; in a document, everything
 * except code blocks.
 * @param {string} file
 * @param {string} content
 * @returns {Sentence[]}
 */
export function sentencesOf(file, content) {
  return paragraphsOf(file, content).flatMap(({ line, text }) =>
    text.split(/(?<=[.!?:;])\s+(?=[A-Z`])/).map(sentence => ({ line, text: sentence })),
  );
}

/**
 * @param {string} file
 * @param {string} content
 * @returns {Sentence[]}
 */
function paragraphsOf(file, content) {
  const lines = content.split('\n');
  const proseOf = /\.mdx?$/.test(file) ? documentProse(lines) : lines.map(text => commentProse(file, text));
  /** @type {Sentence[]} */
  const paragraphs = [];
  for (const [index, raw] of lines.entries()) {
    const prose = proseOf[index];
    const before = index > 0 && proseOf[index - 1];
    const last = paragraphs.at(-1);
    if (prose && before && last) last.text += ` ${prose}`;
    else if (prose) paragraphs.push({ line: index + 1, text: prose });
    else {
      const apart = [COMMENT_BEHIND_CODE.exec(raw)?.[1], ...[...raw.matchAll(API_TEXT)].map(([, , text]) => text)];
      for (const text of apart) if (text) paragraphs.push({ line: index + 1, text });
    }
  }
  return paragraphs;
}

/**
 * @param {string[]} lines
 * @returns {(string | undefined)[]} for each line, the part that is text for people
 */
function documentProse(lines) {
  let inCode = false;
  return lines.map(line => {
    const isFence = /^\s*(?:```|~~~)/.test(line);
    if (isFence) inCode = !inCode;
    return isFence || inCode ? undefined : line.replace(MARKDOWN_MARKER, '').trim() || undefined;
  });
}

/**
 * @param {string} file
 * @param {string} line
 * @returns {string | undefined} the text of the comment, if the whole line is a comment
 */
function commentProse(file, line) {
  if (file.endsWith('.env.example')) return /^#\s?(.*)$/.exec(line)?.[1];
  return COMMENT_LINE.exec(line)?.[1] || undefined;
}
