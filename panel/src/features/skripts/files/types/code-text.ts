import type { SymbolText } from '@trawl/type-check';

/** Element with a signature and its documentation, for suggestions, hovers and calls. */
export function textCard(signature: readonly (string | Node)[], documentation: string): HTMLElement {
  const card = Object.assign(document.createElement('div'), { className: 'cm-code-text' });
  const code = document.createElement('code');
  code.append(...signature);
  card.append(code);
  if (documentation !== '') card.append(Object.assign(document.createElement('p'), { textContent: documentation }));
  return card;
}

export const symbolCard = ({ signature, documentation }: SymbolText): HTMLElement =>
  textCard([signature], documentation);
