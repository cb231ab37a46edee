import type { MouseEvent } from 'react';

/** Returns true if a click on a link opens a new tab or window, or starts a download. */
export const opensElsewhere = (event: MouseEvent): boolean =>
  event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
