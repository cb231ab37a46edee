import { isJsonNestedDeeper } from '@trawl/contracts';
import { ApiError } from '../common/errors.js';
import { MAX_JSON_LEVELS, strictValidation } from '../common/strict-validation.pipe.js';
import { invalid, readArchive } from './archive-reader.js';
import {
  fileNameProblem,
  INPUT_NAME,
  INPUT_NAME_CHARS,
  INPUT_NAME_EXPECTED,
  INPUT_SECRET_NAME,
  MANIFEST,
} from './names.js';
import type { Skript } from './skript.entity.js';
import { checkFiles, type NamedValue, type SourceFile } from './skript-contents.js';
import { MAX_PARTS, toJson } from './skript-parts.js';
import { ManifestDto } from './skripts.dto.js';
import { edited } from './skripts.service.js';

/** A skript as an archive holds it. */
export interface ArchivedSkript {
  fields: Partial<Skript> & { title: string };
  files: SourceFile[];
  inputs: NamedValue[];
  secrets: NamedValue[];
}

const validation = strictValidation();

/**
 * @throws {ApiError} 422 `archive_invalid`, `manifest_missing`, `manifest_invalid` or `main_missing`; 413
 * `payload_too_large`. None has anything of what is in an input secret.
 */
export async function readSkriptArchive(bytes: Buffer): Promise<ArchivedSkript> {
  const texts = await readArchive(bytes);
  const manifest = texts.get(MANIFEST);
  if (manifest === undefined) {
    throw new ApiError(
      'manifest_missing',
      'The archive has no manifest.json. Add one that has at least a title: { "title": "…" }.',
    );
  }
  const fields = await fieldsOf(manifest);
  texts.delete(MANIFEST);
  const [files, inputs, secrets]: [SourceFile[], NamedValue[], NamedValue[]] = [[], [], []];
  for (const [name, text] of texts) {
    if (/^inputsecret[^/]*$/i.test(name)) {
      if (!INPUT_SECRET_NAME.test(name) || name.length > INPUT_NAME_CHARS) {
        throw invalid(name, 'begins as an input secret does, so it must be named like inputSecret-shop.json');
      }
      secrets.push({ name, json: jsonOf(name, text, { secret: true }) });
    } else if (/^input[^/]*\.json$/i.test(name)) {
      if (!INPUT_NAME.test(name) || name.length > INPUT_NAME_CHARS)
        throw invalid(name, `must be named by ${INPUT_NAME_EXPECTED}`);
      inputs.push({ name, json: jsonOf(name, text) });
    } else {
      const problem = fileNameProblem(name);
      if (problem !== null) throw invalid(name, `has a name that a file cannot have: it ${problem}`);
      files.push({ name, content: text });
    }
  }
  if (!files.some(({ name }) => name === 'main.js')) {
    throw new ApiError(
      'main_missing',
      'The archive has no main.js, which is where a run begins. Add it and export an async function from it.',
    );
  }
  checkFiles(files);
  for (const [kind, values] of [
    ['inputs', inputs],
    ['input secrets', secrets],
  ] as const) {
    if (values.length <= MAX_PARTS) continue;
    throw new ApiError(
      'payload_too_large',
      `The archive has ${values.length} ${kind}; a skript may have ${MAX_PARTS}.`,
    );
  }
  return { fields, files, inputs, secrets };
}

/** The skript's fields, as strictly as a route that is sent them. */
async function fieldsOf(text: string): Promise<ArchivedSkript['fields']> {
  const value = parsed(MANIFEST, text, { secret: false }, manifestInvalid);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw manifestInvalid('manifest.json must be an object with the fields of a skript.');
  }
  try {
    const manifest = (await validation.transform(value, { type: 'body', metatype: ManifestDto })) as ManifestDto;
    return { ...edited(manifest), title: manifest.title };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw manifestInvalid(`manifest.json: ${error.message}`, error.details);
  }
}

const manifestInvalid = (message: string, details?: unknown): ApiError =>
  new ApiError('manifest_invalid', message, details);

const jsonOf = (name: string, text: string, { secret = false } = {}): string =>
  toJson(
    name,
    parsed(name, text, { secret }, message => new ApiError('archive_invalid', message, { entry: name })),
  );

function parsed(name: string, text: string, { secret }: { secret: boolean }, refusal: (message: string) => ApiError) {
  const json = text.replace(/^\uFEFF/, '');
  if (isJsonNestedDeeper(Buffer.from(json), MAX_JSON_LEVELS)) {
    throw refusal(`${name} is nested deeper than ${MAX_JSON_LEVELS} levels.`);
  }
  try {
    return JSON.parse(json) as unknown;
  } catch (error) {
    // What the parser says shows some of the text.
    throw refusal(secret ? `${name} is not valid JSON.` : `${name} is not valid JSON: ${(error as Error).message}`);
  }
}
