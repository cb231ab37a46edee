import createPurifier from 'dompurify';
import GithubSlugger from 'github-slugger';
import { marked } from 'marked';

/** Colours and sizes that the page takes from the panel. */
const VARIABLES = ['ink', 'muted', 'line', 'surface', 'sea'] as const;

const STYLE = `
  body { margin: 0; padding: 20px 24px 40px; max-width: 74ch; font: 15px/1.6 system-ui, sans-serif; color: var(--ink); overflow-wrap: anywhere; }
  h1, h2, h3 { line-height: 1.25; margin: 1.5em 0 0.5em; }
  h1:first-child, h2:first-child { margin-top: 0; }
  h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; } h3 { font-size: 1.05rem; }
  a:any-link { color: var(--sea); }
  img { max-width: 100%; height: auto; }
  code, pre { font: 0.875em/1.55 ui-monospace, monospace; background: var(--surface); border-radius: 4px; }
  code { padding: 1px 4px; }
  pre { padding: 12px 14px; border: 1px solid var(--line); overflow: auto; }
  pre code { padding: 0; background: none; font-size: 1em; }
  table { border-collapse: collapse; } th, td { padding: 6px 12px; border: 1px solid var(--line); text-align: start; }
  blockquote { margin-inline: 0; padding-inline-start: 14px; border-inline-start: 3px solid var(--line); color: var(--muted); }
`;

/** Loads nothing but images, and runs nothing. */
const POLICY = "default-src 'none'; img-src https: data:; style-src 'unsafe-inline'; form-action 'none'";

const purifier = createPurifier(window);

/** Gives each heading the anchor that it has on GitHub. */
function addHeadingIds(page: HTMLElement): void {
  const slugger = new GithubSlugger();
  for (const { id } of page.querySelectorAll('[id]')) slugger.slug(id, true);
  for (const heading of page.querySelectorAll('h1, h2, h3, h4, h5, h6')) {
    if (heading.id === '') heading.id = slugger.slug(heading.textContent ?? '');
  }
}

/** Returns the name of the anchor that an address such as `#how-it-works` leads to. */
function fragmentOf(href: string): string {
  try {
    return decodeURIComponent(href.slice(1));
  } catch {
    return href.slice(1);
  }
}

/**
 * Links to other sites open another tab, and links to an anchor of the howto jump to it. All others lead nowhere,
 * because the frame has no address of its own, so they become plain text.
 */
function mendLinks(page: HTMLElement): void {
  const anchors = new Set(
    [...page.querySelectorAll('[id], a[name]')].flatMap(one => [one.id, one.getAttribute('name')]),
  );
  for (const link of page.querySelectorAll('[href]')) {
    const href = link.getAttribute('href') ?? '';
    if (/^(https?:|mailto:)/i.test(href)) {
      link.setAttribute('target', '_blank');
      link.setAttribute('rel', 'noopener noreferrer');
    } else if (href.startsWith('#') && anchors.has(fragmentOf(href))) {
      // The browser would resolve `#…` against the address of the panel.
      link.setAttribute('href', `about:srcdoc${href}`);
    } else link.removeAttribute('href');
  }
}

const variables = (root: CSSStyleDeclaration): string =>
  VARIABLES.map(name => `--${name}: ${root.getPropertyValue(`--trawl-${name}`)};`).join(' ');

/**
 * Returns the page that the frame of a howto shows. Scripts, style sheets, forms and frames of the howto are left out.
 *
 * @param howto content of howto.md or howto.html.
 */
export function howtoPage(howto: string, isMarkdown: boolean, scheme: 'light' | 'dark'): string {
  const html = isMarkdown ? marked.parse(howto, { async: false }) : howto;
  const page = purifier.sanitize(html, {
    USE_PROFILES: { html: true },
    // A style sheet could hide the page. Attributes named `style` stay, because they change their own element only.
    FORBID_TAGS: ['style', 'form', 'input', 'button', 'textarea', 'select', 'audio', 'video'],
    // A part of the page only, so that the howto cannot replace the head.
    WHOLE_DOCUMENT: false,
    RETURN_DOM: true,
  }) as HTMLElement;
  addHeadingIds(page);
  mendLinks(page);
  for (const image of page.querySelectorAll('[src]')) {
    // An SVG can contain scripts and links.
    if (/^\s*data:image\/svg/i.test(image.getAttribute('src') ?? '')) image.removeAttribute('src');
  }
  const root = `:root { color-scheme: ${scheme}; ${variables(getComputedStyle(document.documentElement))} }`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}"><meta name="referrer" content="no-referrer"><style>${root}${STYLE}</style></head><body>${page.innerHTML}</body></html>`;
}
