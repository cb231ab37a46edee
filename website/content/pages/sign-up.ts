import { FREE_PACK } from './pricing';

/** Texts of /sign-up, as plain text. */
export const SIGN_UP_PAGE = {
  title: 'Sign up for a free account with the FREE PACK',
  description:
    'Create a free Trawl account with a MongoDB database and a worker with the full sandbox. Write skripts, run them and read what they found.',
  keywords: ['sign up', 'free account', 'FREE PACK', 'web scraping account', 'free worker'],
  heading: 'Create your free account',
  lead: 'An account comes with the FREE PACK: one database and one worker. Both are there as soon as you have set your password. If no free worker with the full sandbox is connected then, you get the first one that connects.',
  formLabel: 'Sign-up form',
  labels: {
    first_name: 'First name',
    last_name: 'Last name',
    email: 'E-mail',
    city: 'City',
    country: 'Country',
    phone: 'Phone',
    website: 'Website',
    company_name: 'Company name',
    company_location: 'Company location',
    company_vat: 'Company VAT number',
    comment: 'Comment',
  },
  noScript: 'An e-mail opens no account, but a person answers it:',
  emailHint:
    'A valid e-mail is needed: your account is opened with a link to this address, which is also your user name.',
  action: 'Create Account',
  acceptance: {
    before: 'By clicking',
    accept: 'you accept the',
    terms: 'Terms of Use',
    acknowledge: 'and acknowledge the',
    privacy: 'Privacy Policy',
  },
  pack: {
    title: 'The FREE PACK',
    items: [
      {
        title: 'One worker',
        text: 'A shared Node.js worker, which runs what you write in JavaScript, each run in a sandbox of its own.',
      },
      {
        title: 'One database',
        text: 'MongoDB, yours alone. Rows go in from a skript, and you read them in the panel or by API.',
      },
      { title: 'The whole panel', text: 'Editor, runs, live and saved echoes, storage, and the Joint API behind it.' },
    ],
    wait: FREE_PACK.wait,
    price: 'It costs nothing, and you give no payment details. Everything beyond it is',
    priceLink: 'priced on request',
  },
  after: {
    title: 'What happens next',
    items: [
      'Trawl makes a link for your account and sends it to your e-mail address. If this installation has no mail server, the message below the button tells you, and an administrator passes the link on.',
      'You open the link within 24 hours and choose a password.',
      'Your account and its database are open. Sign in with your e-mail address. You get a worker when one with a full sandbox is connected; until then no run starts.',
    ],
    adults: 'You must be at least 18 years old.',
  },
  next: {
    title: 'What to do now',
    items: [
      'Look for the e-mail with your link, also in the spam folder. If the message said that no e-mail is sent, ask the administrator of this installation for the link.',
      'Open the link within 24 hours, choose a password and sign in.',
      'Write your first skript. The tutorial takes about ten minutes.',
    ],
    links: [{ label: 'Open the tutorial', to: '/docs/tutorials/develop-skript' }],
  },
  signIn: 'You have an account already?',
  signInLink: 'Sign In',
};
