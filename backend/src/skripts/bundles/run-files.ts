import { isRunFile, type RunFile } from '@trawl/contracts';
import { fileNameProblem } from '../names.js';

/**
 * Picks the files for the folders of runs: those that no import reaches. Leaves out files whose names the API refuses
 * today, because a skript may have such a file from before.
 * @param imported names of the files that are in the bundle's code.
 */
export function runFilesOf(files: RunFile[], imported: string[]): RunFile[] {
  const inCode = new Set(imported);
  return files.filter(({ name }) => !inCode.has(name) && isRunFile(name) && fileNameProblem(name) === null);
}
