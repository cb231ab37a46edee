/** Rate limit by IP address, for each route that receives a form. */
export const FORM_RATE_LIMIT = { default: { limit: 20, ttl: 10 * 60_000 } };

/** The limit in the description of these routes. */
export const FORM_RATE_LIMIT_TEXT = 'Limit: 20 calls in 10 minutes from one IP address.';
