import type { Plugin } from '@docusaurus/types';
import Prism from 'prismjs';
import 'prismjs/components/prism-bash';
import 'prismjs/components/prism-csv';
import 'prismjs/components/prism-json';
import 'prismjs/components/prism-http';
import 'prismjs/components/prism-yaml';

interface MarkdownNode {
  type: string;
  lang?: string | null;
  meta?: string | null;
  value?: string;
  children?: MarkdownNode[];
}

const escapeHtml = (code: string) => code.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/**
 * Code as HTML with a `token` class on each part that has a colour; `text` and no language at all stay as they are.
 * @throws {Error} for a language that is not imported above.
 */
export function highlight(code: string, language: string): string {
  if (language === 'text') return escapeHtml(code);
  const grammar = Prism.languages[language];
  if (!grammar) throw new Error(`Code in "${language}" cannot be highlighted. Import it in highlighted-code.ts.`);
  return Prism.highlight(code, grammar, language);
}

/** Colours code blocks while the site is built, so that no page has to bring a highlighter along. */
export function highlightedCode() {
  const visit = (node: MarkdownNode): void => {
    if (node.type === 'code') {
      const title = /(?:^|\s)title="([^"]*)"/.exec(node.meta ?? '')?.[1];
      const attribute = (name: string, value: string) => ({ type: 'mdxJsxAttribute', name, value });
      Object.assign(node, {
        type: 'mdxJsxFlowElement',
        name: 'CodeBlock',
        attributes: [
          attribute('html', highlight(node.value ?? '', node.lang ?? 'text')),
          ...(title === undefined ? [] : [attribute('title', title)]),
        ],
        children: [],
      });
    }
    node.children?.forEach(visit);
  };
  return visit;
}

/** Leaves out the highlighter that Docusaurus would otherwise send to every visitor. */
export function withoutHighlighter(): Plugin {
  return {
    name: 'without-highlighter',
    configureWebpack: () => ({ resolve: { alias: { 'prism-react-renderer': false } } }),
  };
}
