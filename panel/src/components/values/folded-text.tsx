import { useState } from 'react';

const FOLDED_CHARS = 2_000;
const FOLDED_LINES = 30;

/** Returns the beginning of a long text, or the whole text if it is short enough to show. */
export function beginningOf(text: string): string {
  const beginning = text.slice(0, FOLDED_CHARS);
  const lines = beginning.split('\n');
  return lines.length > FOLDED_LINES ? lines.slice(0, FOLDED_LINES).join('\n') : beginning;
}

/** The end of a text that a worker has cut. */
const CUT = /… \[cut: (\d+) characters in all\]$/;

const count = (chars: number) => chars.toLocaleString('en-GB');

/** Returns how much of a text there is to show. A worker may have kept only the beginning of it. */
function amountOf(text: string): string {
  const cut = CUT.exec(text.slice(-80));
  if (!cut) return `all ${count(text.length)} characters`;
  return `the first ${count(text.length - cut[0].length)} of ${count(Number(cut[1]))} characters`;
}

/** A text of any length. A long one is folded at first; unfolded, it scrolls within a frame. */
export function FoldedText({ text }: { text: string }) {
  const [isOpen, setOpen] = useState(false);
  const beginning = beginningOf(text);
  if (beginning === text) return text;
  return (
    <>
      {isOpen ? <div className="unfolded">{text}</div> : `${beginning}…`}{' '}
      <button type="button" className="json-more" aria-expanded={isOpen} onClick={() => setOpen(open => !open)}>
        {isOpen ? 'Show less' : `Show ${amountOf(text)}`}
      </button>
    </>
  );
}
