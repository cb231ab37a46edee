import { isRunFile, type RunFile } from '@trawl/contracts';
import { fileNameProblem } from '../names.js';

/**
 * Picks the files for the folders of runs: all but the code that is in the bundle. Leaves out files whose names the API
 * refuses today, because a skript may have such a file from before.
 * @param bundled names of the files of code that a run needs only in the bundle.
 */
export function runFilesOf(files: RunFile[], bundled: string[]): RunFile[] {
  const inCode = new Set(bundled);
  return files.filter(({ name }) => !inCode.has(name) && isRunFile(name) && fileNameProblem(name) === null);
}
