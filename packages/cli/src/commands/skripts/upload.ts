import { type Trawl, TrawlError, unwrap } from '@trawl/client';
import type { Context } from '../../context.js';
import { explain } from '../../explain.js';
import { Failure } from '../../failure.js';
import { connect } from '../../session/connect.js';
import { ignoredFieldsText } from '../../skript-folder/compare.js';
import { type FolderOptions, findFolders } from '../../skript-folder/find-folder.js';
import { checkLimits, readSkriptFolder, type SkriptFolder } from '../../skript-folder/read-folder.js';
import { type UploadOptions, type UploadResult, uploadFolder } from '../../skript-folder/upload-folder.js';
import { progress } from '../../terminal/progress.js';

/**
 * Sends skripts from the current folder to the platform: what changed, or the whole of a new one.
 *
 * @throws {Failure} if the platform has a skript now, but cannot bundle it
 */
export default async function upload(options: UploadOptions & FolderOptions, context: Context): Promise<void> {
  const { output } = context;
  const trawl = await connect(context);
  // Reads all folders first: an invalid file in one of them then leaves the whole platform as it was.
  const folders: SkriptFolder[] = [];
  for (const folder of await findFolders(options)) folders.push(await readSkriptFolder(folder));
  folders.forEach(checkLimits);
  const results: (UploadResult & { warnings: string[] })[] = [];
  const failures: string[] = [];
  try {
    for (const local of folders) {
      const { title } = local.manifest;
      const result = await progress(output, `Uploading ${title}`, uploadFolder(trawl, local, options));
      report(result, context);
      const isSent = !options.dryRun && result.changes.length > 0;
      const { warnings, failure } = isSent
        ? await progress(output, `Bundling ${title}`, bundle(trawl, result.skript.id))
        : NOTHING_TO_SAY;
      for (const warning of warnings) output.warn(warning);
      if (failure !== null) failures.push(`Uploaded ${title}, but Trawl cannot bundle it: ${failure}`);
      results.push({ ...result, warnings });
    }
  } finally {
    // If the platform refuses a skript, the result still names those that were sent before.
    if (output.isJson && results.length > 0) output.result(options.all ? results : results[0]);
  }
  if (failures.length > 0) throw new Failure(failures.join('\n'));
}

interface Bundled {
  warnings: string[];
  /** Why the platform cannot bundle the skript; null if it can. */
  failure: string | null;
}

const NOTHING_TO_SAY: Bundled = { warnings: [], failure: null };

/** Lets the platform bundle a skript that it has received. */
async function bundle({ api }: Trawl, id: string | null): Promise<Bundled> {
  const params = { path: { skript_id: id ?? '' } };
  try {
    const { warnings } = await unwrap(api.POST('/joint-api/skripts/{skript_id}/bundle', { params }));
    const lines = warnings.map(({ file, line, column, message }) =>
      file ? `${file}:${line}:${column}: ${message}` : message,
    );
    return { warnings: lines, failure: null };
  } catch (error) {
    if (error instanceof TrawlError) return { warnings: [], failure: explain(error).text };
    throw error;
  }
}

function report(result: UploadResult, { output }: Context): void {
  const { skript, created, dry_run, changes, only_on_platform, skipped, ignored_fields } = result;
  for (const line of changes) output.note(`  ${line}`);
  if (skipped.length > 0) output.note(`${dry_run ? 'Would not upload' : 'Not uploaded'}: ${skipped.join(', ')}`);
  if (ignored_fields.length > 0) output.warn(ignoredFieldsText(ignored_fields));
  if (only_on_platform.length > 0) {
    output.note(
      `Only on the platform, ${dry_run ? 'would stay' : 'kept'}: ${only_on_platform.join(', ')}. To delete them: trawl upload --delete`,
    );
  }
  if (output.isJson) return;
  const [create, upload] = dry_run ? ['Would create', 'Would upload'] : ['Created', 'Uploaded'];
  output.result(null, `${changes.length === 0 ? 'Nothing changed in' : created ? create : upload} ${skript.title}`);
}
