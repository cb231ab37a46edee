/** How many bytes of a page may come before its `<meta charset>`, as in browsers. */
const META_BYTES = 1024;

const BYTE_ORDER_MARKS: [number[], string][] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xfe, 0xff], 'utf-16be'],
  [[0xff, 0xfe], 'utf-16le'],
];

/** The characters of the bytes 0x80 to 0x9F in windows-1252, in order. */
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

/**
 * Decodes content by the encoding that it names itself, as browsers do: a byte order mark, then `charset` in the
 * Content-Type, then `<meta charset>` of a page or the declaration of XML. Otherwise, and if no decoder knows the name,
 * it is UTF-8.
 */
export function contentText(bytes: Uint8Array, contentType: string): string {
  const decoder = decoderOf(bytes, contentType);
  const text = decoder.decode(bytes);
  // Some versions of Node.js take windows-1252 for Latin-1.
  if (decoder.encoding !== 'windows-1252') return text;
  return text.replace(/[\x80-\x9f]/g, (char: string) => WINDOWS_1252[char.charCodeAt(0) - 0x80] ?? char);
}

function decoderOf(bytes: Uint8Array, contentType: string): InstanceType<typeof TextDecoder> {
  const mark = BYTE_ORDER_MARKS.find(([mark]) => mark.every((byte, index) => bytes[index] === byte));
  if (mark) return new TextDecoder(mark[1]);
  const named = /;\s*charset\s*=\s*["']?([^"';,\s]+)/i.exec(contentType)?.[1];
  for (const name of [named, nameInContent(bytes, contentType)]) {
    try {
      if (name !== undefined) return new TextDecoder(name);
    } catch {
      // A name that no decoder knows. The content may have a better one.
    }
  }
  return new TextDecoder();
}

function nameInContent(bytes: Uint8Array, contentType: string): string | undefined {
  const start = String.fromCharCode(...bytes.subarray(0, META_BYTES));
  const inXml = /^\s*<\?xml\s[^>]*\bencoding\s*=\s*["']([^"']+)/.exec(start)?.[1];
  const isPage = /^\s*$|\bx?html\b/i.test(contentType);
  const inMeta = isPage
    ? /<meta\s[^>]*\bcharset\s*=\s*["']?\s*([^"'\s/>;]+)/i.exec(start.replace(/<!--.*?-->/gs, ''))?.[1]
    : undefined;
  const name = inXml ?? inMeta;
  // The name could be read as single bytes, so the content is not in UTF-16 whatever it says.
  return name && /^utf-?16/i.test(name) ? 'utf-8' : name;
}
