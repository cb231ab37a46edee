/** Bytes around the place at which a parser has stopped. */
const AROUND_BYTES = 40;

/**
 * Says what to write instead of what programs often write into JSON, such as `NaN` and comments.
 * @param chunk the bytes in which the parser has stopped, with its error.
 */
export function adviceOnJson(chunk: Buffer, { message }: Error): string | undefined {
  const at = Number(/ at chunk position "(\d+)"/.exec(message)?.[1]);
  if (Number.isNaN(at)) return undefined;
  const before = chunk.toString('utf8', Math.max(0, at - AROUND_BYTES), at);
  const after = chunk.toString('utf8', at, at + AROUND_BYTES);
  const end = /^[\p{L}\w$]+/u.exec(after)?.[0];
  if (end) {
    const word = /[\p{L}\w$-]*$/u.exec(before)?.[0] + end;
    return `\`${word}\` is not JSON: write null, or put names and texts in double quotes.`;
  }
  if (/^['`‘’“”]/.test(after)) return 'JSON puts names and texts in double quotes (").';
  if (/^(\/\/|\/\*|#)/.test(after)) return 'JSON has no comments: remove them.';
  return undefined;
}
