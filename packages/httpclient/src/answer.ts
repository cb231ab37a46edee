import statuses from 'statuses';

/** What came of a call, whether a server answered or the client had to. */
export interface Answer {
  /** The server's, or the client's own: 400 bad or missing address, 408 timeout, 0 network error or too large. */
  status: number;
  statusMessage: string;
  /** Parsed JSON or text, as the call says; null where there is none. */
  content: unknown;
  /** Names in lower case; those of the same name joined with a comma. None when no server answered. */
  headers: Record<string, string>;
}

export const localAnswer = (status: 0 | 400 | 408, statusMessage: string): Answer => ({
  status,
  statusMessage,
  content: null,
  headers: {},
});

export const serverAnswer = ({ status, statusText, headers }: Response, text: string): Answer => ({
  status,
  // HTTP/2 and HTTP/3 send the number only.
  statusMessage: statusText || (statuses.message[status] ?? ''),
  content: text === '' ? null : text,
  headers: Object.fromEntries([...headers.keys()].map(name => [name, headers.get(name) ?? ''])),
});

/** The content as text, at most `maxBytes` of UTF-8; null when there is more, of which the rest is not read. */
export async function readText({ body }: Response, maxBytes: number): Promise<string | null> {
  if (!body) return '';
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let bytes = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      await reader.cancel();
      return null;
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** The same answer with its content parsed. Content that is no JSON stays as text. */
export function withJson(answer: Answer): Answer {
  if (typeof answer.content !== 'string') return answer;
  try {
    return { ...answer, content: JSON.parse(answer.content) };
  } catch {
    // The status of a failure says more: a proxy's error page is "Bad Gateway" first, and HTML second.
    const isSuccess = answer.status >= 200 && answer.status < 300;
    return isSuccess ? { ...answer, statusMessage: 'Response content is not valid JSON' } : answer;
  }
}
