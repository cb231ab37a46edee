/** SQL: the row of the maintenance in effect, by PostgreSQL's clock. Empty if there is none. */
export const CURRENT_MAINTENANCE = 'SELECT * FROM maintenance WHERE until IS NULL OR until > now()';

/** SQL: whether a maintenance is in effect. */
export const IN_MAINTENANCE = `EXISTS (${CURRENT_MAINTENANCE})`;
