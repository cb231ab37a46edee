import { SaxesParser } from 'saxes';
import { MAX_ROW_BYTES } from '../csv-rows.js';
import { reasonOf, UnreadableFile } from '../unreadable.js';

export interface XmlEvents {
  open: (name: string, attribute: (name: string) => string | undefined) => void;
  close: (name: string) => void;
  text: (text: string) => void;
}

/**
 * Parses XML. Names are without their prefixes. Yields after each chunk, so that the caller can take what it has found.
 * @throws {UnreadableFile} for text that is not XML, for a document type, which could define entities, and for a single
 * tag or text that is larger than a row.
 */
export async function* parseXml(chunks: AsyncIterable<Buffer>, events: XmlEvents): AsyncGenerator<void> {
  const parser = new SaxesParser();
  const decoder = new TextDecoder();
  let bytesSinceEvent = 0;
  parser.on('error', error => {
    throw new UnreadableFile(`The workbook is damaged: ${reasonOf(error)}.`);
  });
  parser.on('doctype', () => {
    throw new UnreadableFile('The workbook has a document type (DTD), which Trawl does not read.');
  });
  parser.on('opentag', ({ name, attributes }) => {
    bytesSinceEvent = 0;
    events.open(withoutPrefix(name), wanted => attributeOf(attributes, wanted));
  });
  parser.on('closetag', ({ name }) => {
    bytesSinceEvent = 0;
    events.close(withoutPrefix(name));
  });
  parser.on('text', text => events.text(text));
  parser.on('cdata', text => events.text(text));
  for await (const chunk of chunks) {
    bytesSinceEvent += chunk.length;
    parser.write(decoder.decode(chunk, { stream: true }));
    if (bytesSinceEvent > MAX_ROW_BYTES) throw new UnreadableFile(`A text is larger than ${MAX_ROW_BYTES} bytes.`);
    yield;
  }
  parser.write(decoder.decode()).close();
  yield;
}

const withoutPrefix = (name: string): string => name.slice(name.indexOf(':') + 1);

function attributeOf(attributes: Record<string, string>, wanted: string): string | undefined {
  if (Object.hasOwn(attributes, wanted)) return attributes[wanted];
  const prefixed = Object.keys(attributes).find(name => withoutPrefix(name) === wanted);
  return prefixed === undefined ? undefined : attributes[prefixed];
}
