import { HttpClient } from '@trawl/httpclient';

/** For what a visitor sends: a second attempt is theirs to make. */
export const siteClient = new HttpClient({ timeoutMs: 21_000, retries: 0 });

/** For what a page shows, such as openapi.yaml. */
export const viewClient = new HttpClient({ timeoutMs: 20_000, retries: 0 });
