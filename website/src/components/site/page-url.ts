/** Removes the slash at the end, which the addresses of index pages have. Pages are served without. */
export const pageUrl = (address: string): string => address.replace(/(?<=.)\/(?=$|[?#])/, '');

/** Attributes of a link to another site. */
export const NEW_TAB = { target: '_blank', rel: 'noopener noreferrer' };
