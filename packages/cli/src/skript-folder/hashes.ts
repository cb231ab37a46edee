import { createHash } from 'node:crypto';
import type { Manifest } from './manifest.js';
import { INPUT, MANIFEST } from './names.js';

/** SHA-256 of each part of a skript, by its name: files, inputs, and fields of the manifest. */
export type Hashes = Map<string, string>;

/** Name of a field of the manifest among the parts. No file can have it, because of the colon. */
export const fieldPart = (name: string): string => `${MANIFEST}: ${name}`;

export const hashOfField = (value: unknown): string => sha256(canonical(value));

/** The hash of a file is the API's own. That of an input is the same for each way to write its value. */
export function hashOfText(name: string, text: string): string {
  if (!INPUT.test(name)) return sha256(text);
  try {
    return sha256(canonical(JSON.parse(text.replace(/^\uFEFF/, ''))));
  } catch {
    // A local input may be half-written. It then differs from every valid one.
    return sha256(text);
  }
}

export function hashesOf(manifest: Manifest, texts: Iterable<[name: string, text: string]>): Hashes {
  const hashes: Hashes = new Map();
  for (const [name, value] of Object.entries(manifest)) hashes.set(fieldPart(name), hashOfField(value));
  for (const [name, text] of texts) hashes.set(name, hashOfText(name, text));
  return hashes;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** JSON text with the keys in order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}
