import { useLocation } from '@docusaurus/router';
import { PageMetadata } from '@docusaurus/theme-common';
import { BreadcrumbData, type Crumb } from './breadcrumb-data';

export interface PageWords {
  /** At most 60 characters, without the site's name. */
  title: string;
  /** 80 to 160 characters, for search results. */
  description: string;
  keywords: readonly string[];
}

interface PageMetaProps extends PageWords {
  /** Parent pages without the home page; omitted for top-level pages. */
  trail?: readonly Crumb[];
}

/** Metadata of a page outside the docs. Put it inside a `Layout` without a title. */
export function PageMeta({ title, description, keywords, trail = [] }: PageMetaProps) {
  const { pathname } = useLocation();
  return (
    <>
      <PageMetadata title={title} description={description} keywords={[...keywords]} />
      {trail.length > 0 && <BreadcrumbData crumbs={[...trail, { label: title, to: pathname }]} />}
    </>
  );
}
