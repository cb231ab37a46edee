import { DEMO_REQUEST } from './contact-links';

/** Texts of the contact band at the end of a page. */
export const CONTACT_BAND = {
  title: 'Tell us which data you need',
  text: 'Name a source and the fields of one row. A person reads it, looks at the source, and answers whether and how it can be done.',
  actions: {
    contact: { label: 'Contact Us', to: '/contact' },
    demo: { label: 'Request a Demo', to: DEMO_REQUEST },
  },
};

/** Texts of the contact band below a service or industry. */
export const OFFER_BAND = {
  title: 'Tell us the source and the fields',
  text: 'A person reads your message. We look at the source, say what of it can be had and what cannot, and send a quote for the job before any work starts.',
};
