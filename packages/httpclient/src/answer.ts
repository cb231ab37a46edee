import statuses from 'statuses';

/** What came of a call, whether a server answered or the client had to. */
export interface Answer {
  /** The server's, or the client's own: 400 bad or missing address, 408 timeout, 0 network error. */
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
