import { OfferPage } from '@site/src/components/offer/offer-page';
import { ProsePage } from '@site/src/components/prose-page/prose-page';
import type { Props } from '@theme/MDXPage';

/** Layout of Markdown pages. Offers have a layout of their own; all other pages are text with numbered sections. */
export default function MDXPage(props: Props) {
  const isOffer = /^\/(services|industries)\/./.test(props.content.metadata.permalink);
  return isOffer ? <OfferPage {...props} /> : <ProsePage {...props} />;
}
