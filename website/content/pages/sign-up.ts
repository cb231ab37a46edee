import { FREE_PACK } from './pricing';

/** Texts of /sign-up, as plain text. */
export const SIGN_UP_PAGE = {
  title: 'Sign up for a free account with the FREE PACK',
  description:
    'Create a free Trawl account. The account includes a MongoDB database and a worker with the full sandbox. Write skripts, run them and read the rows they store.',
  keywords: ['sign up', 'free account', 'FREE PACK', 'web scraping account', 'free worker'],
  heading: 'Create your free account',
  lead: 'An account includes the FREE PACK: one database and one worker. You get both as soon as you have set your password. If no free worker with the full sandbox is connected at that moment, you get the first such worker that connects.',
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
  noScript: 'An e-mail opens no account, but a person answers your e-mail:',
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
        text: 'A shared Node.js worker runs the skripts that you write in JavaScript. Each run has its own sandbox.',
      },
      {
        title: 'One database',
        text: 'You get a MongoDB database that only your account uses. Your skripts write rows to this database. You read the rows in the panel or through the API.',
      },
      {
        title: 'The whole panel',
        text: 'You get the editor, runs, live and saved echoes, storage, and the Joint API.',
      },
    ],
    wait: FREE_PACK.wait,
    price: 'The FREE PACK costs nothing, and you give no payment details. Everything beyond it is',
    priceLink: 'priced on request',
  },
  after: {
    title: 'What happens next',
    items: [
      'Trawl makes a link for your account and sends it to your e-mail address. If this installation has no mail server, the message below the button tells you so. Then an administrator sends you the link.',
      'You open the link within 24 hours and choose a password.',
      'You can now use your account and its database. Sign in with your e-mail address. You get a worker when a worker with the full sandbox is connected. Until then you cannot start a run.',
    ],
    adults: 'You must be at least 18 years old.',
  },
  next: {
    title: 'What to do now',
    items: [
      'Look for the e-mail with your link, also in the spam folder. If the message said that Trawl sends no e-mail, ask the administrator of this installation for the link.',
      'Open the link within 24 hours, choose a password and sign in.',
      'Write your first skript. The tutorial takes about ten minutes.',
    ],
    links: [{ label: 'Open the tutorial', to: '/docs/tutorials/develop-skript' }],
  },
  signIn: 'You have an account already?',
  signInLink: 'Sign In',
};
