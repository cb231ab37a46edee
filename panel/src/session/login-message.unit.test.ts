import { loginFailureMessage } from './login-message.js';

describe('the message of a failed sign-in', () => {
  it.each([
    [{ error_message: 'Account disabled', error_code: 'forbidden' }, 'Account disabled'],
    [{ code: 'x', msg: 'Too many attempts' }, 'Too many attempts'],
    [{ userMessage: 'Locked' }, 'Locked'],
    [{ msg: '', message: 'Second' }, 'Second'],
    [{ message: { text: 'nested' } }, 'Bad Login'],
    [{ reason: 'nothing of the name' }, 'Bad Login'],
    [undefined, 'Bad Login'],
    ['<html>', 'Bad Login'],
  ])('for the response %j is %s', (body, message) => {
    expect(loginFailureMessage(body)).toBe(message);
  });
});
