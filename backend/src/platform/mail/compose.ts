import type { Mail } from './mail-transport.js';

/** A part of an e-mail's body. Texts may come from visitors, so they are escaped. */
export type Part =
  | string
  /** The main action. */
  | { button: string; href: string }
  | { facts: [name: string, value: string][] }
  /** A visitor's text, with its line breaks. */
  | { quote: string };

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, character => `&#${character.codePointAt(0)};`).replaceAll('\n', '<br>');

const P = 'margin:0 0 16px;font:16px/1.55 Inter,system-ui,sans-serif;color:#0b1f2a';
const BUTTON =
  'display:inline-block;padding:12px 20px;border-radius:6px;background:#c23d12;color:#ffffff;text-decoration:none;font-weight:600';

/** Composes an e-mail as text and as simple HTML. The footer says why the recipient gets it. */
export function compose(head: Pick<Mail, 'to' | 'replyTo' | 'subject'>, parts: Part[], footer: string): Mail {
  const html = parts.map(toHtml).join('\n');
  return {
    ...head,
    text: `${parts.map(toText).join('\n\n')}\n\n-- \nTrawl\n${footer}\n`,
    html: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escaped(head.subject)}</title></head>
<body style="margin:0;padding:24px;background:#f4f7f8">
<div style="max-width:560px;margin:0 auto;padding:32px;background:#ffffff;border:1px solid #d6e0e4;border-radius:10px">
<p style="${P};font-weight:700;font-size:20px">Trawl</p>
${html}
<p style="${P};margin:24px 0 0;font-size:13px;color:#4a606c">${escaped(footer)}</p>
</div></body></html>
`,
  };
}

function toText(part: Part): string {
  if (typeof part === 'string') return part;
  if ('button' in part) return `${part.button}:\n${part.href}`;
  if ('facts' in part) return part.facts.map(([name, value]) => `${name}: ${value}`).join('\n');
  return part.quote.replaceAll(/^/gm, '> ');
}

function toHtml(part: Part): string {
  if (typeof part === 'string') return `<p style="${P}">${escaped(part)}</p>`;
  if ('button' in part) {
    const href = escaped(part.href);
    return `<p style="${P}"><a href="${href}" style="${BUTTON}">${escaped(part.button)}</a></p>
<p style="${P};font-size:13px;color:#4a606c;word-break:break-all">${href}</p>`;
  }
  if ('facts' in part) {
    return `<p style="${P}">${part.facts.map(([name, value]) => `<b>${escaped(name)}</b>: ${escaped(value)}`).join('<br>')}</p>`;
  }
  return `<blockquote style="${P};padding-left:16px;border-left:3px solid #0b7f77">${escaped(part.quote)}</blockquote>`;
}
