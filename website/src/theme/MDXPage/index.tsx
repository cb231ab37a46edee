import { OfferPage } from '@site/src/components/offer/offer-page';
import { ProsePage } from '@site/src/components/prose-page/prose-page';
import type { Props } from '@theme/MDXPage';

/** Pages of services and industries have a layout of their own; other pages in Markdown are numbered prose. */
export default function MDXPage(props: Props) {
  const isOffer = /^\/(services|industries)\/./.test(props.content.metadata.permalink);
  return isOffer ? <OfferPage {...props} /> : <ProsePage {...props} />;
}
