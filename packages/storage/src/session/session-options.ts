export interface SessionOptions {
  /**
   * Origins whose cookies, `localStorage` and `sessionStorage` the session keeps, besides those that `fetch` calls and that
   * pages show: `['https://login.shop.example']`.
   */
  origins?: string[];
  /** The user agent to which the session belongs. Default: that of the first page, or none. */
  userAgent?: string;
  /** Time in ms after which `check` logs in again. Default: when all cookies have expired. */
  maxAgeMs?: number;
}
