/** URL parameters of a place in the saved echoes of a run. */
type EchoPlace = Record<'after_seq' | 'before_seq' | 'seq', string | null>;

/** As `before_seq` it gets the last page: the greatest number that the API accepts. */
const AFTER_ALL = 2_147_483_647;

export const FIRST_PAGE: EchoPlace = { after_seq: null, before_seq: null, seq: null };
export const LAST_PAGE: EchoPlace = { ...FIRST_PAGE, before_seq: String(AFTER_ALL) };

/** Clears the URL parameters of the saved echoes, for another run. */
export const NO_ECHO_FILTER = { ...FIRST_PAGE, type: null, contains: null };

/** Returns the page that begins with the echo `seq`. */
export const pageFrom = (seq: number): EchoPlace => ({ ...FIRST_PAGE, after_seq: seq > 1 ? String(seq - 1) : null });
