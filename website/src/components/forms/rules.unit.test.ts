import { FORM_MESSAGES } from '../../../content/forms';
import { ALL_COUNTRIES, QUICK_COUNTRIES } from './countries';
import { checkContact, checkSignUp } from './rules';

const contact = {
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  country: 'United Kingdom',
  subject: 'Engines',
  msg: 'x'.repeat(130),
  result: '7',
};
const signUp = {
  first_name: 'Ada',
  last_name: 'Lovelace',
  email: 'ada@example.com',
  city: 'London',
  country: 'United Kingdom',
};

describe('a contact message', () => {
  it('is valid if it satisfies every rule', () => {
    expect(checkContact(contact)).toBeNull();
  });

  it('is checked rule by rule, and only the first broken rule is reported', () => {
    const fixes: [keyof typeof contact, string, string][] = [
      ['name', '', FORM_MESSAGES.name],
      ['email', '', FORM_MESSAGES.email],
      ['country', '', FORM_MESSAGES.country],
      ['subject', '', FORM_MESSAGES.subject],
      ['msg', '', FORM_MESSAGES.msg],
      ['msg', 'x'.repeat(129), FORM_MESSAGES.msgLength],
      ['result', '', FORM_MESSAGES.result],
    ];
    const values = { name: '', email: '', country: '', subject: '', msg: '', result: '' };
    for (const [field, value, message] of fixes) {
      expect(checkContact({ ...values, [field]: value })).toEqual({ message, fields: [field] });
      values[field] = contact[field];
    }
    expect(checkContact(values)).toBeNull();
  });

  it.each(['Ada', '  Ada  ', ''])('is invalid without two words in its name: %j', name => {
    expect(checkContact({ ...contact, name })?.message).toBe('Enter first and last name');
  });

  it.each(['Ada Lovelace', 'Ada\u00a0Lovelace', 'Ada \t Byron  King'])('is valid with the name %j', name => {
    expect(checkContact({ ...contact, name })).toBeNull();
  });

  it('is valid with a wrong sum, which only the server checks', () => {
    expect(checkContact({ ...contact, result: 'seven' })).toBeNull();
  });
});

describe('the check of an e-mail address in a form', () => {
  it.each(['a@b.co', 'A.b_c-9@sub.example.info', 'x@1-2.museum.eu'])('accepts %s', email => {
    expect(checkContact({ ...contact, email })).toBeNull();
    expect(checkSignUp({ ...signUp, email })).toBeNull();
  });

  it.each([
    'a',
    'a@b',
    'a@b.c',
    'a@b.abcde',
    'a+b@c.co',
    'a@b_c.co',
    'a@.co',
    'a@b..co',
    'a b@c.co',
    '@b.co',
    'a@b.c0',
  ])('rejects %s', email => {
    expect(checkContact({ ...contact, email })).toEqual({ message: 'Enter valid email', fields: ['email'] });
    expect(checkSignUp({ ...signUp, email })).toEqual({ message: 'Enter valid email', fields: ['email'] });
  });
});

describe('a sign-up form', () => {
  it('is valid without its optional fields and without the sum', () => {
    expect(checkSignUp({ ...signUp, phone: '', result: '' })).toBeNull();
  });

  it.each(Object.keys(signUp))('is invalid without %s', field => {
    const values = { ...signUp, [field]: '' };
    expect(checkSignUp(values)).toEqual({
      message: 'Fields marked with an asterisk (*) are mandatory',
      fields: [field],
    });
  });

  it('reports all missing fields before an invalid e-mail address', () => {
    expect(checkSignUp({ ...signUp, email: 'nobody', city: '', country: '' })?.fields).toEqual(['city', 'country']);
  });
});

describe('the countries in the forms', () => {
  it('start with Quick Select, whose names are also in the full list', () => {
    expect(QUICK_COUNTRIES).toEqual(['Canada', 'France', 'Germany', 'United States', 'China', 'India']);
    expect(ALL_COUNTRIES).toEqual(expect.arrayContaining(QUICK_COUNTRIES));
  });

  it('are complete, sorted and unique', () => {
    expect(ALL_COUNTRIES.length).toBeGreaterThan(240);
    expect(new Set(ALL_COUNTRIES).size).toBe(ALL_COUNTRIES.length);
    expect(ALL_COUNTRIES.slice(0, 2)).toEqual(['Afghanistan', 'Aland']);
  });
});
