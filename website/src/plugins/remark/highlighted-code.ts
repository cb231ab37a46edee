import type { Plugin } from '@docusaurus/types';
import type { Root } from 'mdast';
import type { MdxJsxAttribute, MdxJsxFlowElement } from 'mdast-util-mdx-jsx';
import Prism from 'prismjs';
import 'prismjs/components/prism-bash';
import 'prismjs/components/prism-csv';
import 'prismjs/components/prism-json';
import 'prismjs/components/prism-python';
import 'prismjs/components/prism-http';
import 'prismjs/components/prism-typescript';
import 'prismjs/components/prism-sql';
import 'prismjs/components/prism-yaml';
import { visit } from 'unist-util-visit';

const escapeHtml = (code: string) => code.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/**
 * Highlights code as HTML with `token` classes. The language `text` is only escaped.
 * @throws {Error} for a language that this file does not import.
 */
export function highlight(code: string, language: string): string {
  if (language === 'text') return escapeHtml(code);
  const grammar = Prism.languages[language];
  if (!grammar) throw new Error(`Cannot highlight the language "${language}". Import it in highlighted-code.ts.`);
  return Prism.highlight(code, grammar, language);
}

const attribute = (name: string, value: string): MdxJsxAttribute => ({ type: 'mdxJsxAttribute', name, value });

/** Highlights code blocks during the build, so that pages need no highlighter. */
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

/** Removes Docusaurus's client-side highlighter from the bundle. */
export function withoutHighlighter(): Plugin {
  return {
    name: 'without-highlighter',
    configureWebpack: () => ({ resolve: { alias: { 'prism-react-renderer': false } } }),
  };
}
