/**
 * Removes the characters that make a text read in another order, such as U+202E, with which an echo could show a false
 * name or address. Arabic and Hebrew need none of them.
 */
export const inReadingOrder = (text: string): string => text.replace(/[\u202a-\u202e\u2066-\u2069]/g, '');
