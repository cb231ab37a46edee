/** What a form tells its visitor. */
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

/** First in every list of countries, by their codes. */
export const QUICK_SELECT = ['CA', 'FR', 'DE', 'US', 'CN', 'IN'] as const;

export const FORM_WORDS = {
  quickSelect: 'Quick Select',
  allCountries: 'All countries',
  noCountry: 'Choose a country',
  required: 'Fields marked with an asterisk (*) are mandatory.',
  sumHint: 'Keeps simple bots out. After each attempt that reaches us there is a new sum.',
  sending: 'Sending',
  noScript: 'This form needs JavaScript, which your browser does not run here.',
};
