// The client for pages, where the browser itself keeps cookies and chooses the proxy.
export type { Answer } from './answer.js';
export {
  BasicClient as HttpClient,
  type BasicOptions as HttpClientOptions,
  type FormFields,
  type RequestOptions,
} from './basic-client.js';
