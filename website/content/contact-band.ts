import { DEMO_REQUEST } from './contact-links';

/** Texts of the contact band at the end of a page. */
export const CONTACT_BAND = {
  on: {
    title: 'Say which data you need',
    text: 'Name a source and the fields of one row. A person from Trawl’s services team reads your message and looks at the source. Then this person tells you whether and how the team can collect the data.',
  },
  off: {
    title: 'Questions about this installation',
    text: 'Write to the people who run this installation, for example if you would like to try Trawl with a demo account.',
  },
  actions: {
    contact: { label: 'Contact Us', to: '/contact' },
    demo: { label: 'Request a Demo', to: DEMO_REQUEST },
  },
};

/** Texts of the contact band below a service or industry. */
export const OFFER_BAND = {
  title: 'Name the source and the fields',
  text: 'A person from Trawl’s services team reads your message, looks at the source, and tells you which data the team can collect and which not. You get a quote for the job before any work starts.',
};
