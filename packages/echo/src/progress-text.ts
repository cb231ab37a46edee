/** Writes how far a piece of work is, such as `Pages: 3 of 10`. The panel draws a bar for text of this form. */
export function progressText(done: number, total?: number, label?: string): string {
  const count = total === undefined ? `${done}` : `${done} of ${total}`;
  return label ? `${label}: ${count}` : count;
}
