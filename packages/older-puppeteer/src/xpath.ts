/**
 * Limits an XPath expression to elements that have this text themselves, not in an element in them: one of their texts is
 * equal, or the first contains it.
 */
export const withText = (xPath: string, text: string, exact: boolean): string =>
  exact ? `(${xPath})[text() = ${literal(text)}]` : `(${xPath})[contains(text(), ${literal(text)})]`;

/** XPath has no escapes, so a text with both kinds of quotes is put together. */
function literal(text: string): string {
  if (!text.includes("'")) return `'${text}'`;
  if (!text.includes('"')) return `"${text}"`;
  return `concat('${text.split("'").join(`', "'", '`)}')`;
}
