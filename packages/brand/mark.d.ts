import type { ReactElement } from 'react';

/**
 * Draws mark.svg in the colour of the surrounding text. It is hidden from screen readers, because the product name is
 * always next to it.
 */
export function Mark(): ReactElement;
