import type { Dropped } from './read-dropped.js';

/** Packs a dropped folder for the upload. Without a manifest.json, the skript has the name of the folder. */
export async function pack({ title, files }: Dropped): Promise<File> {
  const { strToU8, zipSync } = await import('fflate');
  const contents = new Map(files.map(({ name, bytes }) => [name, bytes]));
  if (!contents.has('manifest.json')) contents.set('manifest.json', strToU8(JSON.stringify({ title })));
  const zip = zipSync(Object.fromEntries(contents));
  return new File([new Uint8Array(zip)], `${title}.zip`, { type: 'application/zip' });
}
