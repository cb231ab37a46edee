const { TRAWL_URL, TRAWL_KEY } = process.env;

/** Sends a call of the generated client. Returns the data of the response, or throws its error message. */
export async function trawlFetch<T>(path: string, init?: RequestInit): Promise<T> {
  const headers = { ...init?.headers, Authorization: `Bearer ${TRAWL_KEY}` };
  const response = await fetch(TRAWL_URL + path, { ...init, headers });
  const type = response.headers.get('content-type') ?? '';
  if (!response.ok) throw new Error((await response.json()).error_message);
  if (type.startsWith('application/json')) return response.json();
  return (type.startsWith('text/event-stream') ? response.body : await response.blob()) as T;
}
