import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SKRIPT_TEMPLATES, type SkriptTemplateName } from '@trawl/contracts';
import type { Context } from '../../context.js';
import { EXIT } from '../../exit-codes.js';
import { Failure } from '../../failure.js';
import { writeTypes } from '../../local-run/editor-types.js';
import { isFolderName } from '../../skript-folder/names.js';
import { askChoice, askText } from '../../terminal/ask.js';

const FOLDER = join(dirname(fileURLToPath(import.meta.url)), 'templates');
/** npm leaves files of this name out of packages, so the template has it without the dot. */
const RENAMED: Record<string, string> = { gitignore: '.gitignore' };

/** Lets a local run reach the practice shop, which is on this computer. Only the sandbox of Linux needs it. */
const ALLOW_SHOP = 'TRAWL_EGRESS_ALLOW=127.0.0.1:3001';
const NEEDS_SHOP =
  'The skript needs the practice shop, which is part of `npm start` of Trawl. If yours has another address, change `base_url` in input.json.';

export interface InitOptions {
  template?: string;
}

/** Creates the folder of a new skript. */
export default async function init(
  title: string | undefined,
  options: InitOptions,
  { output }: Context,
): Promise<void> {
  const chosen = (title ?? (await askText('Title of the skript', 'Give it: trawl init Books'))).trim();
  if (!isFolderName(chosen)) {
    throw new Failure(`${JSON.stringify(chosen)} cannot be the name of a folder. Choose another title.`, EXIT.usage);
  }
  const template = await templateOf(options.template, title !== undefined);
  const folder = resolve(chosen);
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0) {
    throw new Failure(`${folder} is not empty. Choose another title, or delete the folder.`, EXIT.conflict);
  }
  const files = new Map([...(await readTemplate('common')), ...(await readTemplate(template))]);
  if (files.has('tsconfig.json')) files.delete('jsconfig.json');
  const { environment } = SKRIPT_TEMPLATES[template];
  for (const [name, text] of files) {
    const filled = text.replaceAll('{{environment}}', environment).replaceAll('{{title}}', () => jsonText(chosen));
    await writeFile(join(folder, name), filled);
  }
  await writeTypes(folder);
  const names = [...files.keys()].sort();
  const next = nextSteps(chosen, template, process.platform);
  output.result({ folder, template, files: names }, `Created ${folder} with ${names.join(', ')}. Next:\n\n${next}`);
}

/** Returns commands to type after `init`, and what they need. */
export function nextSteps(title: string, template: SkriptTemplateName, platform: NodeJS.Platform): string {
  const needsShop = template === 'typescript' || template === 'crawlee';
  const install = template === 'crawlee' ? ['npm install'] : [];
  const start = needsShop && platform !== 'win32' ? `${ALLOW_SHOP} trawl start` : 'trawl start';
  const check = template === 'typescript' ? ['trawl check'] : [];
  const commands = [`cd ${JSON.stringify(title)}`, ...install, 'trawl test', ...check, start];
  return [...commands, ...(needsShop ? ['', NEEDS_SHOP] : [])].join('\n');
}

async function templateOf(given: string | undefined, hasTitle: boolean): Promise<SkriptTemplateName> {
  if (given !== undefined) {
    if (Object.hasOwn(SKRIPT_TEMPLATES, given)) return given as SkriptTemplateName;
    throw new Failure(
      `There is no template ${JSON.stringify(given)}. Choose ${Object.keys(SKRIPT_TEMPLATES).join(', ')}.`,
      EXIT.usage,
    );
  }
  // Somebody who gives a title wants no questions.
  if (hasTitle) return 'typescript';
  const choices = Object.entries(SKRIPT_TEMPLATES).map(([value, { does }]) => ({
    value: value as SkriptTemplateName,
    hint: does,
  }));
  return askChoice('Template', 'Give it with --template.', choices);
}

async function readTemplate(name: string): Promise<[name: string, text: string][]> {
  const folder = join(FOLDER, name);
  const files = await readdir(folder);
  return Promise.all(
    files.map(async file => [RENAMED[file] ?? file, await readFile(join(folder, file), 'utf8')] as [string, string]),
  );
}

/** Returns a text as it stands between the quotes of JSON. */
const jsonText = (text: string): string => JSON.stringify(text).slice(1, -1);
