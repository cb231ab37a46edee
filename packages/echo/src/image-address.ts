const SIGNATURES: { mime: string; matches: (bytes: Uint8Array) => boolean }[] = [
  { mime: 'image/png', matches: bytes => startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) },
  { mime: 'image/jpeg', matches: bytes => startsWith(bytes, [0xff, 0xd8, 0xff]) },
  { mime: 'image/gif', matches: bytes => startsWith(bytes, [0x47, 0x49, 0x46, 0x38]) },
  {
    mime: 'image/webp',
    matches: bytes =>
      startsWith(bytes, [0x52, 0x49, 0x46, 0x46]) && startsWith(bytes.subarray(8), [0x57, 0x45, 0x42, 0x50]),
  },
];

const startsWith = (bytes: Uint8Array, head: number[]): boolean => head.every((byte, at) => bytes[at] === byte);

const EXPECTED = 'expected a Buffer, Uint8Array, base64 text or data: URL of a PNG, JPEG, GIF or WebP image';

/**
 * Converts a raster image to a `data:image/…;base64,` URL. The image's first bytes decide its type.
 *
 * @throws TypeError if `image` is not bytes, base64 text or a `data:` URL of a PNG, JPEG, GIF or WebP
 */
export function imageAddress(image: unknown): string {
  const bytes = imageBytes(image);
  const signature = SIGNATURES.find(({ matches }) => matches(bytes));
  if (!signature) {
    throw new TypeError(`echo.image: the bytes are not a supported raster image; ${EXPECTED}.`);
  }
  return `data:${signature.mime};base64,${bytes.toString('base64')}`;
}

function imageBytes(image: unknown): Buffer {
  if (Buffer.isBuffer(image)) return image;
  if (image instanceof Uint8Array) return Buffer.from(image.buffer, image.byteOffset, image.byteLength);
  if (typeof image !== 'string') {
    throw new TypeError(`echo.image: got ${image === null ? 'null' : typeof image}; ${EXPECTED}.`);
  }
  const base64 = image.replace(/^data:[^,]{0,200};base64,/i, '');
  if (!/^[A-Za-z0-9+/_=\s-]*$/.test(base64)) {
    throw new TypeError(`echo.image: the text is not base64; ${EXPECTED}.`);
  }
  return Buffer.from(base64, 'base64');
}
