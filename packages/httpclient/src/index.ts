export type { Answer } from './answer.js';
export { type FormFields, HttpClient, type HttpClientOptions, type RequestOptions } from './http-client.js';
