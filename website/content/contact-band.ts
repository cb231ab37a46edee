import { DEMO_REQUEST } from './contact-links';

/** Texts of the contact band at the end of a page. */
export const CONTACT_BAND = {
  on: {
    title: 'Say which data you need',
    text: 'Name a source and the fields of one row. A person of Trawl’s services team reads it, looks at the source, and tells you whether and how the team can do it.',
  },
  off: {
    title: 'Questions about this installation',
    text: 'Write to the people who run it, for example if you would like to try Trawl with a demo account.',
  },
  actions: {
    contact: { label: 'Contact Us', to: '/contact' },
    demo: { label: 'Request a Demo', to: DEMO_REQUEST },
  },
};

/** Texts of the contact band below a service or industry. */
export const OFFER_BAND = {
  title: 'Name the source and the fields',
  text: 'A person of Trawl’s services team reads your message, looks at the source, says what of it can be had and what cannot, and sends a quote for the job before any work starts.',
};
