import { HttpClientPptr } from './http-client.js';
import { HttpClientPptr2 } from './http-client-2.js';

export { PptrPlus } from './pptr-plus.js';

/** What `@mikosoft/httpclient-pptr` of version 3 exports. */
export const httpClientPptr3 = { HttpClientPptr, HttpClientPptr_v2: HttpClientPptr2 };

/** The same for version 2, whose main class is the older one. */
export const httpClientPptr2 = { HttpClientPptr: HttpClientPptr2, HttpClientPptr_v2: HttpClientPptr2 };
