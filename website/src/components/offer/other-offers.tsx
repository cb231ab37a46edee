import Link from '@docusaurus/Link';
import type { OfferMatter } from '@site/content/offers';
import { useOfferIndex } from '../site/offer-index';
import styles from './other-offers.module.css';

/** Links from a service to its industries, or from an industry to its services. */
export function OtherOffers({ offer }: { offer: OfferMatter }) {
  const { services, industries } = useOfferIndex();
  const isService = 'industries' in offer;
  const others = isService ? offer.industries : offer.services;
  const links = [...industries, ...services.flatMap(group => group.links)];
  const prefix = isService ? '/industries/' : '/services/';
  return (
    <section className="section" id={isService ? 'industries' : 'services'}>
      <div className="container">
        <h2>{isService ? 'Industries' : 'Services that fit'}</h2>
        <ul className={`tiles ${styles.list}`}>
          {others.map(({ slug, text }) => {
            const to = prefix + slug;
            return (
              <li key={slug}>
                <Link to={to}>{links.find(link => link.to === to)?.name}</Link>
                <p>{text}</p>
              </li>
            );
          })}
        </ul>
      </div>
    </section>
  );
}
