/**
 * How many standard deviations a figure must be away. A run has hundreds of figures, so each must be very unlikely by
 * chance: about 1 in 10,000, and 1 in 1,000.
 */
export const BROKEN_SCORE = 3.9;
export const UNUSUAL_SCORE = 3.3;
