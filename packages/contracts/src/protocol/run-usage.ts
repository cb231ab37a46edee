import * as z from 'zod';
import { LIMITS } from '../limits/limits.js';

/** Maximum number of samples of a run. The longer a run, the longer the time between them. */
export const MAX_USAGE_SAMPLES = 120;

/**
 * How much all processes of a run use at one moment.
 * - `at_s`: seconds since the start of main.js
 * - `cpu_percent`: share of one core since the sample before; null in the first one
 * - `memory_mb`: memory, with the files that the run has written
 */
export const usageSampleSchema = z.object({
  at_s: z.int32().nonnegative(),
  cpu_percent: z.int32().nonnegative().nullable(),
  memory_mb: z.int32().nonnegative(),
});
export type UsageSample = z.infer<typeof usageSampleSchema>;

const requestedHostSchema = z.object({
  host: z.string().max(LIMITS.hostChars),
  count: z.int32().positive(),
  /** Responses with the status 403 or 429, or with a challenge for visitors. Missing if there were none. */
  blocked: z.int32().positive().optional(),
});
export type RequestedHost = z.infer<typeof requestedHostSchema>;

/**
 * Number of HTTP requests by host, such as `shop.example` or `shop.example:8080`. The host is empty for all hosts beyond
 * the limit together.
 */
export const requestsSchema = z.array(requestedHostSchema).max(LIMITS.requestedHosts + 1);

/** All samples of a run so far. A later list replaces an earlier one. */
export const usageSchema = z.array(usageSampleSchema).max(MAX_USAGE_SAMPLES);
