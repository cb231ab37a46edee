import statuses from 'statuses';

/**
 * The result of a call: the server's response, or an answer that the client makes itself if there is no response.
 * `Content` is `string | null` for calls that read text.
 */
export interface Answer<Content = unknown> {
  /**
   * Status of the server's response. If the client made the answer: 400 for a bad or missing URL, 408 for a timeout, 0
   * for a network error or too large content.
   */
  status: number;
  statusMessage: string;
  /** Parsed JSON or text, depending on the call; null if the response has no content. */
  content: Content;
  /**
   * Headers of the response by their names in lower case. Repeated headers are joined with a comma. Empty if no server
   * answered.
   */
  headers: Record<string, string>;
}

export type TextAnswer = Answer<string | null>;

export const localAnswer = (status: 0 | 400 | 408, statusMessage: string): Answer<null> => ({
  status,
  statusMessage,
  content: null,
  headers: {},
});

export const serverAnswer = <Content>(
  { status, statusText, headers }: Response,
  content: Content,
): Answer<Content> => ({
  status,
  // Use the standard text for the status, because HTTP/2 and HTTP/3 send none.
  statusMessage: statusText || (statuses.message[status] ?? ''),
  content,
  headers: Object.fromEntries([...headers.keys()].map(name => [name, headers.get(name) ?? ''])),
});

/** Reads at most `maxBytes` of the content. */
export async function readStart(
  { body }: Response,
  maxBytes: number,
): Promise<{ bytes: Uint8Array; isWhole: boolean }> {
  if (!body) return { bytes: new Uint8Array(), isWhole: true };
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  for (let left = maxBytes; ; ) {
    const { done, value } = await reader.read();
    if (done) return { bytes: joined(chunks), isWhole: true };
    if (value.byteLength > left) {
      await reader.cancel();
      return { bytes: joined([...chunks, value.subarray(0, left)]), isWhole: false };
    }
    left -= value.byteLength;
    chunks.push(value);
  }
}

function joined(chunks: Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** Parses the content of an answer as JSON. Content that is not JSON stays text. */
export function withJson(answer: Answer): Answer {
  if (typeof answer.content !== 'string') return answer;
  try {
    return { ...answer, content: JSON.parse(answer.content) };
  } catch {
    // For an error status keep its message: "Bad Gateway" is more useful than the fact that the error page is not JSON.
    const isSuccess = answer.status >= 200 && answer.status < 300;
    return isSuccess ? { ...answer, statusMessage: 'Response content is not valid JSON' } : answer;
  }
}
