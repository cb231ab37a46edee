import { isJsonNestedDeeper, mainFilesIn } from '@trawl/contracts';
import { ApiError } from '../../../platform/common/errors.js';
import { fieldsOf, MAX_JSON_LEVELS, strictValidation } from '../../../platform/http/strict-validation.pipe.js';
import type { TrySchema } from '../contracts/contract-check.js';
import {
  fileNameProblem,
  INPUT_NAME,
  INPUT_NAME_CHARS,
  INPUT_NAME_EXPECTED,
  INPUT_SECRET_NAME,
  INPUT_SECRET_NAME_EXPECTED,
  MANIFEST,
} from '../names.js';
import type { Skript } from '../skript.entity.js';
import { checkFiles, type NamedValue, type SourceFile } from '../skript-contents.js';
import { MAX_PARTS, toJson } from '../skript-parts.js';
import { ManifestDto } from '../skripts.dto.js';
import { edited } from '../skripts.service.js';
import { type ArchiveTexts, invalid, type ReadArchive } from './archive-texts.js';
import { SkippedNames } from './skipped-names.js';

/** Contents of an archive. */
export interface ArchivedSkript {
  fields: Partial<Skript> & { title: string };
  files: SourceFile[];
  inputs: NamedValue[];
  secrets: NamedValue[];
  /** Names of folders and files of the archive that the skript does not get. */
  skipped: string[];
  /** Names of fields of the manifest that Trawl does not know. */
  ignored_fields: string[];
}

const validation = strictValidation();

/**
 * Makes a skript of the files of an archive.
 * @throws {ApiError} 422 `archive_invalid`, `manifest_missing`, `manifest_invalid` or `main_missing`; 413
 * `payload_too_large`. The messages never contain an input secret.
 */
export async function skriptOf({ texts, skipped }: ReadArchive, trySchema: TrySchema): Promise<ArchivedSkript> {
  const manifest = texts.get(MANIFEST);
  if (manifest === undefined) {
    throw new ApiError(
      'manifest_missing',
      'The archive has no manifest.json. Add one with at least a title: { "title": "…" }.',
    );
  }
  const { fields, ignored_fields } = await readManifest(manifest, trySchema);
  texts.delete(MANIFEST);
  const parts = sortByName(texts);
  if (mainFilesIn(parts.files.map(({ name }) => name)).length === 0) {
    throw new ApiError(
      'main_missing',
      'The archive has no main.js, where a run starts. Add it and export an async function from it.',
    );
  }
  checkFiles(parts.files);
  checkCount('inputs', parts.inputs);
  checkCount('input secrets', parts.secrets);
  return { fields, ...parts, skipped, ignored_fields };
}

/** Tells files, inputs and input secrets apart by their names. */
function sortByName(texts: ArchiveTexts): Pick<ArchivedSkript, 'files' | 'inputs' | 'secrets'> {
  const [files, inputs, secrets]: [SourceFile[], NamedValue[], NamedValue[]] = [[], [], []];
  for (const [name, text] of texts) {
    if (/^inputsecret[^/]*$/i.test(name)) {
      if (!INPUT_SECRET_NAME.test(name) || name.length > INPUT_NAME_CHARS) {
        throw invalid(name, `has a bad name for an input secret: it must be ${INPUT_SECRET_NAME_EXPECTED}`);
      }
      secrets.push({ name, json: jsonOf(name, text, { secret: true }) });
    } else if (/^input[^/]*\.json$/i.test(name)) {
      if (!INPUT_NAME.test(name) || name.length > INPUT_NAME_CHARS) {
        throw invalid(name, `has a bad name for an input: it must be ${INPUT_NAME_EXPECTED}`);
      }
      inputs.push({ name, json: jsonOf(name, text) });
    } else {
      const problem = fileNameProblem(name);
      if (problem !== null) throw invalid(name, `has a bad name: it ${problem}`);
      files.push({ name, content: text });
    }
  }
  return { files, inputs, secrets };
}

function checkCount(kind: string, values: NamedValue[]): void {
  if (values.length <= MAX_PARTS) return;
  throw new ApiError(
    'payload_too_large',
    `The archive has ${values.length} ${kind}; the limit for a skript is ${MAX_PARTS}.`,
  );
}

/**
 * Reads the skript's fields from the manifest and validates them like the routes of the API. Unknown fields are ignored,
 * because manifests of other tools and of newer versions have more.
 */
async function readManifest(
  text: string,
  trySchema: TrySchema,
): Promise<Pick<ArchivedSkript, 'fields' | 'ignored_fields'>> {
  const value = parsed(MANIFEST, text, { secret: false }, manifestInvalid);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw manifestInvalid('manifest.json must be an object with the fields of a skript.');
  }
  const known = fieldsOf(ManifestDto);
  const ignored = new SkippedNames();
  for (const name of Object.keys(value)) if (!known.has(name)) ignored.add(name);
  const named = Object.fromEntries(Object.entries(value).filter(([name]) => known.has(name)));
  try {
    const manifest = (await validation.transform(named, { type: 'body', metatype: ManifestDto })) as ManifestDto;
    const fields = await edited(manifest, trySchema);
    return { fields: { ...fields, title: manifest.title }, ignored_fields: ignored.list() };
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
    throw refusal(`${name} is nested more than ${MAX_JSON_LEVELS} levels deep.`);
  }
  try {
    return JSON.parse(json) as unknown;
  } catch (error) {
    // The parser's message quotes a part of the text. A secret must not appear in an error message.
    throw refusal(secret ? `${name} is not valid JSON.` : `${name} is not valid JSON: ${(error as Error).message}`);
  }
}
