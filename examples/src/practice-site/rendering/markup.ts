/** Text that is safe HTML. Only the `html` tag and `trusted` create it. All other values are escaped. */
export class Markup {
  constructor(readonly text: string) {}

  toString(): string {
    return this.text;
  }
}

type Content = Markup | string | number | null | undefined | false | readonly Content[];

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, character => entities[character] ?? character);
}

function render(content: Content): string {
  if (content === null || content === undefined || content === false) return '';
  if (content instanceof Markup) return content.text;
  if (typeof content === 'object') return content.map(render).join('');
  return escapeHtml(String(content));
}

/**
 * Template tag for HTML. It escapes the values for text and quoted attributes, leaves out null, undefined and false,
 * and joins the items of lists.
 */
export function html(parts: TemplateStringsArray, ...values: Content[]): Markup {
  return new Markup(parts.reduce((text, part, index) => text + render(values[index - 1]) + part));
}

/** Returns a script element with JSON-LD data. `<` is escaped, so that the data cannot end the script element. */
export function jsonLd(data: object): Markup {
  const json = JSON.stringify(data).replaceAll('<', '\\u003c');
  return new Markup(`<script type="application/ld+json">${json}</script>`);
}
