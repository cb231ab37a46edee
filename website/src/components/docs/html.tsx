import useBrokenLinks from '@docusaurus/useBrokenLinks';
import { ScrollTable } from './scroll-table';

interface HtmlProps {
  as: 'p' | 'table';
  html: string;
}

const LINK = / href="([/#][^"]*)"/g;

/** An element whose content plugins/remark/static-html.ts wrote as HTML. The build checks its links. */
export function Html({ as, html, ...attributes }: HtmlProps) {
  const { collectLink } = useBrokenLinks();
  if (typeof window === 'undefined')
    for (const [, href = ''] of html.matchAll(LINK)) collectLink(href.replaceAll('&amp;', '&'));
  const Tag = as === 'table' ? ScrollTable : as;
  // biome-ignore lint/security/noDangerouslySetInnerHtml: the build wrote it from files of this repository.
  return <Tag {...attributes} dangerouslySetInnerHTML={{ __html: html }} />;
}
