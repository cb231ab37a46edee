/** Messages of the forms. */
export const FORM_MESSAGES = {
  name: 'Enter first and last name',
  email: 'Enter valid email',
  country: 'Enter country',
  subject: 'Enter subject',
  msg: 'Enter message',
  msgLength: 'Enter message with at least 130 characters',
  result: 'Enter the sum result',
  mandatory: 'Fields marked with an asterisk (*) are mandatory',
  contactSuccess: 'The message is sent. We will answer very soon.',
};

/** Codes of the countries at the top of the list. */
export const QUICK_SELECT = ['CA', 'FR', 'DE', 'US', 'CN', 'IN'] as const;

export const FORM_WORDS = {
  quickSelect: 'Quick Select',
  allCountries: 'All countries',
  noCountry: 'Choose a country',
  required: 'Fields marked with an asterisk (*) are mandatory.',
  sumHint: 'Keeps simple bots out. You get a new sum after each attempt that reaches the server.',
  sending: 'Sending',
  more: 'More about you (optional)',
  noScript: 'This form needs JavaScript, which is not available in your browser.',
};
