import type { ReactElement } from 'react';

/** mark.svg, drawn in the colour of the text around it. Decorative: the name stands beside it. */
export function Mark(): ReactElement;
