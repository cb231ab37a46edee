/** The words of /sign-up. Plain text only. */
export const SIGN_UP_PAGE = {
  title: 'Sign up',
  description:
    'Create a free Trawl account: one worker to run your skripts and one MongoDB database for the rows. No payment details, no trial that ends.',
  keywords: ['sign up', 'free account', 'FREE PACK', 'web scraping account', 'free worker'],
  heading: 'Create your free account',
  lead: 'An account comes with the FREE PACK: one worker that runs your skripts, and one database for what they collect.',
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
  emailHint: 'A valid e-mail is needed: the link that opens your account is sent there.',
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
      { title: 'One worker', text: 'A Node.js process on a server, which runs what you write in JavaScript.' },
      {
        title: 'One database',
        text: 'MongoDB, yours alone. Rows go in from a skript and are read in the panel or by API.',
      },
      { title: 'The whole panel', text: 'Editor, runs, live and saved echoes, storage, and the Joint API behind it.' },
    ],
    price: 'It costs nothing, and no payment details are asked for. What goes beyond it is',
    priceLink: 'priced on request',
  },
  after: {
    title: 'What happens next',
    items: [
      'We send a link to your e-mail address.',
      'You open it within 24 hours and choose a password.',
      'Your account and its FREE PACK are open. You sign in with your e-mail address.',
    ],
    adults: 'You must be at least 18 years old.',
  },
  signIn: 'You have an account already?',
  signInLink: 'Sign In',
};
