import type { ZlibOptions } from 'node:zlib';
import { builtin } from '../node/builtin.js';

/** Finds the value of a header by its name in lower case. */
export type FindHeader = (name: string) => string | undefined;

/** Headers by which common services say that a response is a challenge: Cloudflare and AWS WAF. */
const CHALLENGE_HEADERS = ['cf-mitigated', 'x-amzn-waf-action'];
/** Addresses to which Cloudflare, Imperva, Radware and Google redirect visitors whom they challenge. */
const CHALLENGE_ADDRESS = /\/cdn-cgi\/challenge|_incapsula_|perfdrive\.com|google\.com\/sorry/i;
/**
 * Texts that only the challenges of Cloudflare, Imperva, DataDome, HUMAN, Amazon, Sucuri and DDoS-Guard have. Scripts that
 * these services add to all pages do not have them.
 */
const CHALLENGE_TEXT =
  /_cf_chl_opt|<title>Just a moment\.\.\.<|Incapsula incident ID|<title>Pardon Our Interruption|captcha-delivery\.com\/(?:captcha|interstitial)|id="px-captcha"|\/errors\/validateCaptcha|sucuri_cloudproxy_js|\/ddos-guard\/js-challenge/i;
/** Challenges are small pages, compressed or not. Larger ones are not read. */
const COMPRESSED_BYTES = 4 * 1024;
export const CHALLENGE_BYTES = 32 * 1024;

/** Whether the status or a header of a response says that the site blocks the run. */
export function isBlocking(status: number, header: FindHeader): boolean {
  if (status === 403 || status === 429 || CHALLENGE_HEADERS.some(name => header(name) !== undefined)) return true;
  return status >= 300 && status < 400 && CHALLENGE_ADDRESS.test(header('location') ?? '');
}

/** Whether a page is a challenge, whatever its status. */
export const isChallenge = (html: string): boolean => html.length <= CHALLENGE_BYTES && CHALLENGE_TEXT.test(html);

/** Whether the body of a response is a challenge. @param body as it was sent */
export function hasChallenge(body: Uint8Array, header: FindHeader): boolean {
  if (body.length === 0 || body.length > CHALLENGE_BYTES || !header('content-type')?.includes('html')) return false;
  const encoding = header('content-encoding') ?? '';
  if (encoding === '') return isChallenge(Buffer.from(body).toString('latin1'));
  const decode = DECODERS[encoding];
  if (!decode || body.length > COMPRESSED_BYTES) return false;
  try {
    return isChallenge(decode(body, { maxOutputLength: CHALLENGE_BYTES }).toString('latin1'));
  } catch {
    // It is larger, or damaged.
    return false;
  }
}

type Decode = (body: Uint8Array, options: ZlibOptions) => Buffer;

const DECODERS: Record<string, Decode> = {
  gzip: (body, options) => builtin('node:zlib').gunzipSync(body, options),
  br: (body, options) => builtin('node:zlib').brotliDecompressSync(body, options),
  deflate: (body, options) => builtin('node:zlib').inflateSync(body, options),
};
