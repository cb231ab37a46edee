import type { MouseEvent } from 'react';

/** Whether a click on a link asks for a new tab, a window or a download, so that this page stays as it is. */
export const opensElsewhere = (event: MouseEvent): boolean =>
  event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
