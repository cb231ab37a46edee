import type { Plugin } from '@docusaurus/types';
import type { Root } from 'mdast';
import type { MdxJsxAttribute, MdxJsxFlowElement } from 'mdast-util-mdx-jsx';
import Prism from 'prismjs';
import 'prismjs/components/prism-bash';
import 'prismjs/components/prism-csv';
import 'prismjs/components/prism-json';
import 'prismjs/components/prism-http';
import 'prismjs/components/prism-typescript';
import 'prismjs/components/prism-yaml';
import { visit } from 'unist-util-visit';

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

const attribute = (name: string, value: string): MdxJsxAttribute => ({ type: 'mdxJsxAttribute', name, value });

/** Colours code blocks while the site is built, so that no page has to bring a highlighter along. */
export function highlightedCode() {
  return (tree: Root): void =>
    visit(tree, 'code', ({ value, lang, meta }, index, parent) => {
      const title = /(?:^|\s)title="([^"]*)"/.exec(meta ?? '')?.[1];
      const block: MdxJsxFlowElement = {
        type: 'mdxJsxFlowElement',
        name: 'CodeBlock',
        attributes: [
          attribute('html', highlight(value, lang ?? 'text')),
          ...(title === undefined ? [] : [attribute('title', title)]),
        ],
        children: [],
      };
      parent?.children.splice(index as number, 1, block);
    });
}

/** Leaves out the highlighter that Docusaurus would otherwise send to every visitor. */
export function withoutHighlighter(): Plugin {
  return {
    name: 'without-highlighter',
    configureWebpack: () => ({ resolve: { alias: { 'prism-react-renderer': false } } }),
  };
}
