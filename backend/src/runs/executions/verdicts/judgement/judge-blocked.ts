import type { RequestedHost } from '@trawl/contracts';
import type { RunProfile } from '../profile/run-profile.js';
import { countOf, percent } from './sentences.js';
import type { Finding } from './verdict.js';

/** Fewer blocked requests are no finding, unless they are half of all. */
const MIN_BLOCKED = 3;
const MIN_SHARE = 0.05;
/** The share must be so many times as large as the usual one. */
const RISE = 2;

/** Finds hosts that have blocked the run, by HTTP statuses and challenges. */
export function judgeBlocked({ blocked = [] }: RunProfile, earlier: RunProfile[]): Finding[] {
  return blocked.flatMap(host => {
    const share = shareOf(host);
    const was = median(earlier.map(run => shareOf(run.blocked?.find(other => other.host === host.host))));
    const isMany = share >= 0.5 || (share >= MIN_SHARE && (host.blocked ?? 0) >= MIN_BLOCKED);
    if (!isMany || share < RISE * was) return [];
    const name = host.host === '' ? 'Other hosts' : host.host;
    const usual = was > 0 ? `, usually ${percent(was)}` : '';
    const text = `${name} blocked ${host.blocked} of ${countOf(host.count, 'request')}${usual}, with the status 403 or 429, or a challenge.`;
    return [{ level: 'unusual', target: `requests:${host.host}`, field: null, what: 'blocked', was, now: share, text }];
  });
}

const shareOf = (host: RequestedHost | undefined): number => (host ? Math.min(1, (host.blocked ?? 0) / host.count) : 0);

const median = (shares: number[]): number => shares.sort((a, b) => a - b)[Math.floor(shares.length / 2)] ?? 0;
