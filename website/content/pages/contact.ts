/** Heading and metadata of /contact, by `SITE_SERVICES`. */
export const CONTACT_HEAD = {
  on: {
    title: 'Contact: ask for data, a quote or a demo account',
    description:
      'Ask what Trawl can collect for you, get a quote for a scraping or data mining job, or ask for a demo account. A person reads every message.',
    keywords: ['contact', 'web scraping quote', 'data mining request', 'demo account', 'pricing inquiry'],
    heading: 'Say which data you need',
    lead: 'Ask for a quote, a demo account or an answer. Describe the source and the rows that you need, so that the first reply can be exact.',
  },
  off: {
    title: 'Contact: ask a question or for a demo account',
    description:
      'Write to the people who run this installation of Trawl. Ask a question, or ask for a demo account. They read every message.',
    keywords: ['contact', 'demo account', 'web scraping questions'],
    heading: 'Write to the people who run this installation',
    lead: 'Ask for a demo account or for an answer. Say what you would like to collect, and what you have tried.',
  },
};

/** Texts of /contact, as plain text. */
export const CONTACT = {
  mail: {
    label: 'Or write to the general address:',
    pictureText: 'An envelope closed with a net of five knots, the middle one lit.',
  },
  formLabel: 'Contact form',
  formTitle: 'Write a message',
  labels: {
    name: 'First and last name',
    email: 'E-mail',
    country: 'Country',
    subject: 'Subject',
    msg: 'Message',
  },
  noScript: 'You can also send an e-mail:',
  msgHint: 'At least 130 characters.',
  action: 'Send Message',
  helps: {
    title: 'What helps with the answer',
    items: [
      'The addresses of the sites, documents or apps, and who owns them.',
      'The fields of one row, with an example if you have one.',
      'How many rows you need, how often the rows change, and how fresh they must be.',
      'Where the rows should go: to MongoDB on your own Trawl, to your programs through the Joint API, or with POST to an HTTPS address.',
    ],
  },
  after: {
    title: 'What happens after you send',
    items: [
      {
        title: 'Trawl stores it first.',
        text: 'When this page tells you that the message is sent, Trawl has stored it in the database of this installation. Trawl also stores the time, your IP address and the address of this page.',
      },
      {
        title: 'An administrator reads it.',
        text: 'The panel shows your message to the administrators of this installation. They answer by e-mail, to the address that you enter. Companies that host the installation or deliver its e-mails store the message for them.',
      },
      {
        title: 'It stays for a year.',
        text: 'After a year, Trawl deletes the message from the database. If you ask, the operator of this installation deletes it earlier.',
      },
    ],
    privacy: 'You find every field, the reason for it and your rights in the',
    privacyLink: 'privacy policy',
  },
};
