import { privatePart, type RunFile } from '@trawl/contracts';
import { fileNameProblem } from '../names.js';

/**
 * Files that Trawl itself reads, so that runs need no copy, and `tmp`, which is the temporary folder in each run's
 * folder.
 */
const NOT_FOR_RUNS = new Set(['package.json', 'howto.html', 'howto.md', 'tmp']);

/**
 * Picks the files for the folders of runs: those that no import reaches. Leaves out files with secrets. The API refuses
 * the names of some of them today, but a skript may have such a file from before.
 * @param imported names of the files that are in the bundle's code.
 */
export function runFilesOf(files: RunFile[], imported: string[]): RunFile[] {
  const inCode = new Set(imported);
  return files.filter(
    ({ name }) =>
      !inCode.has(name) && !NOT_FOR_RUNS.has(name) && fileNameProblem(name) === null && privatePart(name) === null,
  );
}
