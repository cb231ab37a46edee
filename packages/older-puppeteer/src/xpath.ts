/** Limits an XPath expression to elements with this text, or that contain it. */
export const withText = (xPath: string, text: string, exact: boolean): string =>
  exact ? `(${xPath})[normalize-space() = ${literal(text.trim())}]` : `(${xPath})[contains(., ${literal(text)})]`;

/** XPath has no escapes, so a text with both kinds of quotes is put together. */
function literal(text: string): string {
  if (!text.includes("'")) return `'${text}'`;
  if (!text.includes('"')) return `"${text}"`;
  return `concat('${text.split("'").join(`', "'", '`)}')`;
}
