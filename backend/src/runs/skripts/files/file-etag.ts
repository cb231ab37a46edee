import { createHash } from 'node:crypto';
import { ApiError } from '../../../platform/common/errors.js';

/** A list of entity tags as in RFC 9110, or `*`. */
export const IF_MATCH = /^(\*|(W\/)?"[^"]*"( *, *(W\/)?"[^"]*")*)$/;

/** Hash of a file's content. In quotes it is the file's entity tag. */
export const contentHash = (content: string): string => createHash('sha256').update(content).digest('hex');

/**
 * Checks the header `If-Match` of a request that changes a file.
 * @throws {ApiError} 400 when the header is malformed; 412 when it does not name the saved content.
 */
export function checkIfMatch(ifMatch: string | undefined, { name, content }: { name: string; content: string }): void {
  if (ifMatch === undefined) return;
  const tags = ifMatch.trim();
  if (!IF_MATCH.test(tags)) {
    const message = 'must be "*" or entity tags in double quotes, such as "1f0e…"';
    throw new ApiError('validation_failed', `If-Match ${message}.`, [{ field: 'If-Match', message }]);
  }
  // A weak tag, W/"…", starts with another character, so it never matches. RFC 9110 demands this.
  const saved = `"${contentHash(content)}"`;
  if (tags === '*' || tags.split(',').some(tag => tag.trim() === saved)) return;
  throw new ApiError(
    'precondition_failed',
    `${name} has changed since you read it. Read it again, then send your change with the new hash in If-Match.`,
  );
}
