import { type Echo, LIMITS } from '@trawl/contracts';
import type { ChunkRange } from './chunk-journal.js';
import { csvEchoes } from './csv.js';

/** Maximum size of a page of echoes, because a page must fit into a frame as JSON. */
const PAGE_BYTES = LIMITS.frameBytes / 2;

/**
 * Reads the echoes of these chunks from number `fromSeq` on. Returns at most `limit` echoes, and not more than fit into a
 * frame.
 */
export async function echoPage(
  chunks: ChunkRange[],
  rows: (chunk: ChunkRange) => Promise<Buffer>,
  fromSeq: number,
  limit: number,
): Promise<Echo[]> {
  const page: Echo[] = [];
  let bytes = 0;
  for (const chunk of chunks) {
    if (chunk.to_seq < fromSeq || chunk.start === chunk.end) continue;
    for (const echo of csvEchoes(await rows(chunk))) {
      if (echo.seq < fromSeq) continue;
      bytes += Buffer.byteLength(JSON.stringify(echo));
      if (page.length >= limit || (page.length > 0 && bytes > PAGE_BYTES)) return page;
      page.push(echo);
    }
  }
  return page;
}
