import { HttpClient } from '@trawl/httpclient';

/** Client for the forms. It does not retry; the visitor can. */
export const siteClient = new HttpClient({ timeoutMs: 21_000, retries: 0 });

/** Client for content that a page shows, such as openapi.yaml. */
export const viewClient = new HttpClient({ timeoutMs: 20_000, retries: 0 });
