const MAX_LINE_CHARS = 2000;
/** Matching a URL takes time in proportion to its length and to that of all rules with a wildcard. */
const MAX_WILDCARD_CHARS = 20_000;

/**
 * Returns the lines of a robots.txt, empty where a line does not concern `agent`, or could fill the memory or make
 * matching slow. The parser stores each rule once for each User-agent line above it, so repeated names go.
 *
 * @param agent in lower case
 */
export function robotsLines(lines: string[], agent: string): string[] {
  let group = new Set<string>();
  let isInRules = false;
  let wildcardChars = 0;
  return lines.map(line => {
    const [, field, value = ''] = /^\s*([a-z-]+)\s*:([^#]*)/i.exec(line.slice(0, MAX_LINE_CHARS)) ?? [];
    if (field === undefined || line.length > MAX_LINE_CHARS) return '';
    if (!/^user-agent$/i.test(field)) {
      isInRules = true;
      if (group.size === 0) return '';
      if (!value.includes('*')) return line;
      wildcardChars += value.length;
      return wildcardChars > MAX_WILDCARD_CHARS ? '' : line;
    }
    if (isInRules) group = new Set();
    isInRules = false;
    const name = value.replace(/\/.*/s, '').trim().toLowerCase();
    if ((name !== agent && name !== '*') || group.has(name)) return '';
    group.add(name);
    return `User-agent: ${name}`;
  });
}
