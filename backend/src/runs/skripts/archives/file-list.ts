import { z } from 'zod';
import { ApiError } from '../../../platform/common/errors.js';
import { ArchiveFiles, invalid, MAX_ENTRIES, type ReadArchive } from './archive-texts.js';

export const ENCODINGS = ['utf-8', 'base64'] as const;
export const MAX_NAME_CHARS = 300;

const fileList = z
  .array(
    z.strictObject({
      name: z.string().min(1).max(MAX_NAME_CHARS),
      content: z.string(),
      encoding: z.enum(ENCODINGS).default('utf-8'),
    }),
  )
  .min(1)
  .max(MAX_ENTRIES);

type ListedFile = z.infer<typeof fileList>[number];

/**
 * Reads the files of a skript from a JSON list, with the same rules as for the files of a zip.
 * @throws {ApiError} 400 naming the field; 422 `archive_invalid` or 413 `payload_too_large`, naming the file.
 */
export async function readFileList(sent: unknown): Promise<ReadArchive> {
  const list = fileList.safeParse(sent);
  if (!list.success) throw malformed(list.error.issues[0]);
  const files = new ArchiveFiles();
  for (const file of list.data) {
    const content = bytesOf(file);
    files.add({ name: file.name, bytes: content.length, read: () => content });
  }
  return files.texts();
}

function bytesOf({ name, content, encoding }: ListedFile): Buffer {
  const bytes = Buffer.from(content, encoding);
  // Node ignores characters that are not base64, and replaces halves of surrogate pairs.
  if (bytes.toString(encoding) !== content) {
    throw invalid(name, encoding === 'base64' ? 'is not base64 with padding' : 'has half of a surrogate pair');
  }
  return bytes;
}

function malformed(issue: z.core.$ZodIssue | undefined): ApiError {
  const field = ['files', ...(issue?.path ?? [])].join('.');
  const message = `${field}: ${issue?.message ?? 'malformed'}`;
  return new ApiError('validation_failed', message, [{ field, message }]);
}
