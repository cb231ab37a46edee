import { useLocation } from '@docusaurus/router';
import { PageMetadata } from '@docusaurus/theme-common';
import { BreadcrumbData, type Crumb } from './breadcrumb-data';

export interface PageWords {
  /** At most 60 characters; the site's name is added. */
  title: string;
  /** 80 to 160 characters: what a search result shows below the title. */
  description: string;
  keywords: readonly string[];
}

interface PageMetaProps extends PageWords {
  /** Pages above this one, the home page left out; none for a page of the first level. */
  trail?: readonly Crumb[];
}

/** What every page outside the documentation says about itself. Goes inside `Layout`, which gets no title of its own. */
export function PageMeta({ title, description, keywords, trail = [] }: PageMetaProps) {
  const { pathname } = useLocation();
  return (
    <>
      <PageMetadata title={title} description={description} keywords={[...keywords]} />
      {trail.length > 0 && <BreadcrumbData crumbs={[...trail, { label: title, to: pathname }]} />}
    </>
  );
}
