import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const FOLDER = join(import.meta.dirname, '..', 'packages', 'cli', 'templates');
/** Files of a template that only a local copy needs. */
const LEFT_OUT = /\.test\.[jt]s$/;

/** Returns the files of each template of trawl-cli: text by file name, by name of the template. */
export const readTemplates = (): Record<string, Record<string, string>> =>
  Object.fromEntries(
    readdirSync(FOLDER)
      .filter(name => name !== 'common')
      .map(name => {
        const files = readdirSync(join(FOLDER, name)).filter(file => !LEFT_OUT.test(file));
        return [name, Object.fromEntries(files.map(file => [file, readFileSync(join(FOLDER, name, file), 'utf8')]))];
      }),
  );

const NAME = 'virtual:skript-templates';

/** Makes the templates a module, so that the panel and trawl-cli have the same. */
export const skriptTemplates = (): Plugin => ({
  name: 'skript-templates',
  resolveId: id => (id === NAME ? `\0${NAME}` : null),
  load: id => (id === `\0${NAME}` ? `export default ${JSON.stringify(readTemplates())};` : null),
});
