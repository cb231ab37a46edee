import { DEMO_REQUEST } from './contact-links';

/** The words of the band that ends a page with an invitation to write. */
export const CONTACT_BAND = {
  title: 'Tell us which data you need',
  text: 'Name a source and the fields of one row. A person reads it, looks at the source, and answers whether and how it can be done.',
  actions: {
    contact: { label: 'Contact Us', to: '/contact' },
    demo: { label: 'Request a Demo', to: DEMO_REQUEST },
  },
};
