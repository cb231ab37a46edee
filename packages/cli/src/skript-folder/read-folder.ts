import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileText, isDataUrl, LIMITS, mustBeText } from '@trawl/contracts';
import { EXIT } from '../exit-codes.js';
import { Failure } from '../failure.js';
import { type Manifest, parseJson, parseManifest } from './manifest.js';
import { INPUT, INPUT_SECRET, localPart, MANIFEST } from './names.js';

const MAX_FILES = 2_000;

/** The contents of a skript's folder, by file name. */
export interface SkriptFolder {
  folder: string;
  manifest: Manifest;
  files: Map<string, string>;
  inputs: Map<string, string>;
  secrets: Map<string, string>;
  /** Folders and files that stay on this computer. */
  skipped: string[];
}

/**
 * Reads and checks what an upload of the folder would send. It follows no links.
 *
 * @throws {Failure} if a file is not as the platform wants it, so that an upload fails before it has sent anything
 */
export async function readSkriptFolder(folder: string): Promise<SkriptFolder> {
  const texts = new Map<string, string>();
  const skipped = new Set<string>();
  await read(folder, '', texts, skipped);
  const manifest = texts.get(MANIFEST);
  if (manifest === undefined) throw new Failure(`${folder} has no ${MANIFEST}.`, EXIT.notFound);
  texts.delete(MANIFEST);
  const kinds = byKind(texts);
  for (const [name, text] of [...kinds.inputs, ...kinds.secrets]) parseJson(text, join(folder, name));
  return { folder, manifest: parseManifest(manifest, join(folder, MANIFEST)), ...kinds, skipped: [...skipped] };
}

/**
 * Checks the limits of a whole skript, because changes go one by one: the platform would take some and refuse the others.
 *
 * @throws {Failure} if the platform would not take all of it
 */
export function checkLimits({ folder, files, inputs, secrets }: SkriptFolder): void {
  const { partsPerSkript, skriptBytes, inputBytes } = LIMITS;
  for (const [kind, { size }] of Object.entries({ files, inputs, 'input secrets': secrets })) {
    if (size > partsPerSkript) throw tooMuch(`${folder} has ${size} ${kind}; a skript may have ${partsPerSkript}.`);
  }
  const bytes = [...files.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (bytes > skriptBytes)
    throw tooMuch(`The files in ${folder} have ${bytes} bytes; a skript may have ${skriptBytes}.`);
  for (const [name, text] of [...inputs, ...secrets]) {
    const size = Buffer.byteLength(JSON.stringify(JSON.parse(text)));
    if (size > inputBytes) throw tooMuch(`${join(folder, name)} has ${size} bytes; an input may have ${inputBytes}.`);
  }
}

const tooMuch = (text: string) => new Failure(`${text} Move elsewhere what the skript does not need.`, EXIT.usage);

/** Tells files, inputs and input secrets apart by their names. */
export function byKind(texts: Map<string, string>): Pick<SkriptFolder, 'files' | 'inputs' | 'secrets'> {
  const kinds = { files: new Map(), inputs: new Map(), secrets: new Map() };
  for (const [name, text] of texts) {
    const kind = INPUT_SECRET.test(name) ? 'secrets' : INPUT.test(name) ? 'inputs' : 'files';
    kinds[kind].set(name, text);
  }
  return kinds;
}

async function read(root: string, prefix: string, texts: Map<string, string>, skipped: Set<string>): Promise<void> {
  const entries = await readdir(join(root, prefix), { withFileTypes: true });
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const name = prefix + entry.name;
    const local = localPart(entry.isDirectory() ? `${name}/` : name);
    if (local !== null) skipped.add(local);
    else if (entry.isDirectory()) await read(root, `${name}/`, texts, skipped);
    else if (entry.isFile()) await readText(root, name, texts);
    else skipped.add(`${name} (a link)`);
  }
}

async function readText(root: string, name: string, texts: Map<string, string>): Promise<void> {
  const path = join(root, name);
  const { size } = await stat(path);
  if (size > LIMITS.fileBytes) {
    throw new Failure(
      `${name} has ${size} bytes; a file of a skript may have ${LIMITS.fileBytes}. Move it elsewhere.`,
      EXIT.usage,
    );
  }
  if (texts.size >= MAX_FILES) {
    throw tooMuch(`${root} has more than ${MAX_FILES} files.`);
  }
  const text = fileText(await readFile(path));
  if (isDataUrl(text) && mustBeText(name))
    throw new Failure(`${name} is not UTF-8 text. Save it as UTF-8.`, EXIT.usage);
  if (isDataUrl(text) && size > LIMITS.binaryFileBytes) {
    throw new Failure(
      `${name} has ${size} bytes; a file that is not text may have ${LIMITS.binaryFileBytes}. Move it elsewhere.`,
      EXIT.usage,
    );
  }
  texts.set(name, text);
}
