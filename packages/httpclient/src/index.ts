export type { Answer } from './answer.js';
export type { FormFields, RequestOptions } from './basic-client.js';
export { CookieJar } from './cookie-jar.js';
export { HttpClient, type HttpClientOptions } from './http-client.js';
export type { SitemapEntry, SitemapOptions } from './sitemap.js';
