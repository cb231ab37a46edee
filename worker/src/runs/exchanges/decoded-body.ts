import type { Transform } from 'node:stream';
import zlib from 'node:zlib';
import type { HeaderPair, KeptBody } from '@trawl/contracts';

type DecoderOf = (() => Transform) | undefined;

/** Node 20 lacks zstd. Its types lack it too. */
const { createZstdDecompress } = zlib as { createZstdDecompress?: (options: object) => Transform };

/** Decoders that return what they can of an incomplete body. */
const DECODERS: Record<string, DecoderOf> = {
  gzip: () => zlib.createGunzip({ finishFlush: zlib.constants.Z_SYNC_FLUSH }),
  'x-gzip': () => zlib.createGunzip({ finishFlush: zlib.constants.Z_SYNC_FLUSH }),
  deflate: () => zlib.createInflate({ finishFlush: zlib.constants.Z_SYNC_FLUSH }),
  br: () => zlib.createBrotliDecompress({ finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH }),
  // The value of ZSTD_e_flush.
  zstd: createZstdDecompress && (() => createZstdDecompress({ finishFlush: 1 })),
};
/** A body that was compressed more often than this is not one of a web page. */
const MAX_ENCODINGS = 3;

/** Returns the value of a header; an empty text if it is missing. */
export const headerOf = (headers: readonly HeaderPair[], name: string): string =>
  headers.find(([key]) => key.toLowerCase() === name)?.[1] ?? '';

/**
 * Decompresses a body as its `content-encoding` says, up to `maxBytes`, so that a small body cannot fill the memory.
 * Returns null for a body that cannot be decompressed: a secret in it could not be found.
 */
export async function decompressed(
  bytes: Uint8Array,
  headers: readonly HeaderPair[],
  maxBytes: number,
): Promise<{ bytes: Uint8Array; isCut: boolean } | null> {
  const encodings = headerOf(headers, 'content-encoding')
    .toLowerCase()
    .split(',')
    .map(name => name.trim())
    .filter(name => name !== '' && name !== 'identity');
  if (encodings.length > MAX_ENCODINGS) return null;
  let decoded = { bytes, isCut: false };
  for (const encoding of encodings.reverse()) {
    const decoder = DECODERS[encoding]?.();
    const next = decoder && (await readUpTo(decoder, decoded.bytes, maxBytes));
    if (!next) return null;
    decoded = { ...next, isCut: decoded.isCut || next.isCut };
  }
  return decoded;
}

async function readUpTo(
  decoder: Transform,
  bytes: Uint8Array,
  maxBytes: number,
): Promise<{ bytes: Uint8Array; isCut: boolean } | null> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    decoder.end(bytes);
    for await (const piece of decoder) {
      pieces.push(piece);
      size += piece.length;
      if (size > maxBytes) break;
    }
  } catch {
    // Not what the header says. What was decompressed before that is kept.
    return size === 0 ? null : { bytes: Buffer.concat(pieces).subarray(0, maxBytes), isCut: true };
  }
  if (size === 0) return null;
  return { bytes: Buffer.concat(pieces).subarray(0, maxBytes), isCut: size > maxBytes };
}

/**
 * Returns a body as text, if it is text.
 *
 * @param isCut whether the body may end within a character
 */
export function keptBody(bytes: Uint8Array, headers: readonly HeaderPair[], isCut: boolean): KeptBody {
  const type = headerOf(headers, 'content-type').toLowerCase();
  const charset = /charset="?([\w.:-]+)/.exec(type)?.[1];
  const charsets = [...(charset ? [charset] : []), 'utf-8', ...(type.startsWith('text/') ? ['windows-1252'] : [])];
  for (const name of charsets) {
    const text = textIn(bytes, name, isCut);
    if (text !== null) return { encoding: 'text', data: text };
  }
  return { encoding: 'base64', data: Buffer.from(bytes).toString('base64') };
}

function textIn(bytes: Uint8Array, charset: string, isCut: boolean): string | null {
  try {
    // With `stream`, the decoder ignores the first bytes of a character at the end.
    const text = new TextDecoder(charset, { fatal: true }).decode(bytes, { stream: isCut });
    return text.includes('\u0000') ? null : text;
  } catch {
    return null;
  }
}
