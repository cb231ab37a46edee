import { type Skript, type Trawl, TrawlError, unwrap } from '@trawl/client';
import { type Hashes, hashesOf } from './hashes.js';
import { type Manifest, parseManifest } from './manifest.js';
import { MANIFEST } from './names.js';
import { byKind } from './read-folder.js';
import { unzip } from './zip.js';

/** The contents of a skript on the platform, by file name. The values of its input secrets never leave the platform. */
export interface RemoteSkript {
  skript: Skript;
  /** Names are not checked. */
  manifest: Manifest;
  files: Map<string, string>;
  inputs: Map<string, string>;
}

/**
 * Reads a skript.
 *
 * @param skript id or title
 */
export async function readRemote(trawl: Trawl, skript: string): Promise<RemoteSkript> {
  const params = { path: { skript_id: await trawl.skriptId(skript) } };
  const [found, archive] = await Promise.all([
    unwrap(trawl.api.GET('/joint-api/skripts/{skript_id}', { params })),
    unwrap(trawl.api.GET('/joint-api/skripts/{skript_id}/download', { params, parseAs: 'arrayBuffer' })),
  ]);
  const texts = await unzip(archive as unknown as ArrayBuffer);
  const manifest = parseManifest(texts.get(MANIFEST) ?? '', `${MANIFEST} from the platform`);
  texts.delete(MANIFEST);
  const { files, inputs } = byKind(texts);
  return { skript: found, manifest, files, inputs };
}

/** As `readRemote`; null if there is no skript with this title. */
export async function readRemoteIfThere(trawl: Trawl, title: string): Promise<RemoteSkript | null> {
  try {
    return await readRemote(trawl, title);
  } catch (error) {
    if (error instanceof TrawlError && error.status === 404) return null;
    throw error;
  }
}

export const hashesOfRemote = ({ manifest, files, inputs }: RemoteSkript): Hashes =>
  hashesOf(manifest, [...files, ...inputs]);
