import { posix } from 'node:path';
import pacote from 'pacote';
import { Parser, type ReadEntry } from 'tar';
import { DECLARATION_LIMITS, type PackageTexts, TooManyDeclarations } from './collect-declarations.js';
import { isDeclaration } from './package-entries.js';

const MAX_PATH_CHARS = 300;

/** Whether a file is worth reading. Its path becomes a path in the editor only: nothing is written to the disk. */
const isWanted = (path: string): boolean =>
  path.length <= MAX_PATH_CHARS && (isDeclaration(path) || posix.basename(path) === 'package.json');

/**
 * Reads the declarations of a package from its archive, into memory. Links and all other files are ignored.
 *
 * @param spec name and exact version
 * @throws {TooManyDeclarations}
 */
export async function readArchive(spec: string, options: Record<string, unknown>): Promise<PackageTexts> {
  let texts = new Map<string, string>();
  const read = (stream: NodeJS.ReadableStream) =>
    new Promise<void>((resolve, reject) => {
      // npm calls again after a failure.
      texts = new Map();
      let chars = 0;
      const onReadEntry = (entry: ReadEntry) => {
        // The first folder has the same name in all archives, usually `package`.
        const path = posix.normalize(entry.path).split('/').slice(1).join('/');
        const isText = entry.type === 'File' || entry.type === 'OldFile';
        const { fileChars, packageChars, packageFiles } = DECLARATION_LIMITS;
        if (!isText || !isWanted(path) || (entry.size ?? 0) > fileChars) return entry.resume();
        chars += entry.size ?? 0;
        if (chars > packageChars || texts.size >= packageFiles) {
          reject(tooLarge());
          return entry.resume();
        }
        const chunks: Buffer[] = [];
        entry.on('data', (chunk: Buffer) => chunks.push(chunk));
        entry.on('end', () => texts.set(path, Buffer.concat(chunks).toString('utf8')));
      };
      const parser = new Parser({ onReadEntry });
      stream.on('error', reject);
      // An archive that unpacks to a thousand times its size.
      parser.on('error', error => reject(Object(error).tarCode === 'TAR_ABORT' ? tooLarge() : error));
      parser.on('end', () => resolve());
      stream.pipe(parser as unknown as NodeJS.WritableStream);
    });
  await pacote.tarball.stream(spec, read, options);
  return texts;
}

export const tooLarge = () =>
  new TooManyDeclarations(
    'The types of this library or of one that it needs are too large for the editor, so its values accept anything.',
  );
