const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Leaves out the first lines of a text in UTF-8. Their ends may be LF, CRLF or CR. */
export async function* withoutLines(chunks: AsyncIterable<Buffer>, lines: number): AsyncGenerator<Buffer> {
  let left = lines;
  /** The last line that was left out ended with CR. A LF that follows belongs to it. */
  let mayFollow = false;
  for await (const chunk of chunks) {
    let at = 0;
    while (at < chunk.length && (left > 0 || mayFollow)) {
      const byte = chunk[at];
      if (mayFollow && byte === LINE_FEED) at += 1;
      else if (left > 0) {
        at += 1;
        if (byte === LINE_FEED || byte === CARRIAGE_RETURN) left -= 1;
        mayFollow = byte === CARRIAGE_RETURN;
        continue;
      }
      mayFollow = false;
    }
    if (at < chunk.length) yield at === 0 ? chunk : chunk.subarray(at);
  }
}
