import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CodeService, type FilesOnDisk, type LocatedProblem } from '@trawl/type-check';
import type { Context } from '../../context.js';
import { Failure } from '../../failure.js';
import { readDependencies } from '../../local-run/dependencies.js';
import { readTypePack } from '../../local-run/editor-types.js';
import { findFolder } from '../../skript-folder/find-folder.js';
import { readSkriptFolder } from '../../skript-folder/read-folder.js';

/**
 * Prints the type errors of a skript.
 *
 * @throws {Failure} if there are some
 */
export default async function check({ skript }: { skript?: string }, { output }: Context): Promise<void> {
  const folder = await findFolder(skript);
  await readDependencies(folder);
  const { files, inputs } = await readSkriptFolder(folder);
  const service = new CodeService(readTypePack, filesOnDisk(folder));
  const problems = await service.allProblems([...files, ...inputs].map(([name, content]) => ({ name, content })));
  output.result(problems, problems.length === 0 ? 'No type errors' : problems.map(lineOf).join('\n'));
  if (problems.length === 1) throw new Failure('The skript has a type error.');
  if (problems.length > 1) throw new Failure(`The skript has ${problems.length} type errors.`);
}

/** The files of a folder. Paths never lead out of it, because they are those of files below it. */
function filesOnDisk(folder: string): FilesOnDisk {
  const find = (path: string) => statSync(join(folder, path), { throwIfNoEntry: false });
  return {
    read: path => {
      try {
        return readFileSync(join(folder, path), 'utf8');
      } catch {
        return undefined;
      }
    },
    isFile: path => find(path)?.isFile() ?? false,
    isFolder: path => find(path)?.isDirectory() ?? false,
  };
}

const lineOf = ({ file, line, column, message }: LocatedProblem): string => `${file}:${line}:${column}: ${message}`;
