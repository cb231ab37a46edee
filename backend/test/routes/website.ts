import { contactForm, newAddress, signUpForm } from '../test-forms.js';
import { mailsTo, tokenIn } from '../test-mails.js';
import { fromElsewhere, type World } from '../world.js';
import type { Routes } from './route.js';

/** Signs up and returns the token from the e-mail. */
async function signUpToken({ app, anonymous }: World): Promise<string> {
  const email = newAddress();
  await anonymous('POST', '/www/users/register', signUpForm({ email }), fromElsewhere());
  const [mail] = await mailsTo(app, email, 1);
  return tokenIn(mail);
}

async function aMessage({ anonymous, admin }: World) {
  await anonymous('POST', '/www/contact', contactForm({ email: newAddress() }), fromElsewhere());
  const { items } = (await admin.api('GET', '/joint-api/contact-messages/list?limit=1')).body;
  return { path: { contact_message_id: items[0].id } };
}

export const websiteRoutes: Routes = {
  getIp: { access: 'public' },
  sendContactMessage: { access: 'public', call: () => ({ body: contactForm() }) },
  signUp: { access: 'public', call: () => ({ body: signUpForm() }) },
  forgotPassword: { access: 'public', call: () => ({ body: { email: newAddress() } }) },
  readPasswordLink: {
    access: 'public',
    call: async world => ({ body: { token: await signUpToken(world) } }),
    errors: { link_not_usable: () => ({ body: { token: 'forged' } }) },
  },
  setPassword: {
    access: 'public',
    call: async world => ({ body: { token: await signUpToken(world), password: 'long enough' } }),
    errors: { link_not_usable: () => ({ body: { token: 'forged', password: 'long enough' } }) },
  },
  listContactMessages: { access: 'admin' },
  getContactMessage: { access: 'admin', call: aMessage },
  createDemoAccount: {
    access: 'admin',
    scope: 'session',
    call: aMessage,
    errors: {
      name_taken: async world => {
        const call = await aMessage(world);
        await world.admin.api('POST', `/joint-api/contact-messages/${call.path.contact_message_id}/demo-account`, {});
        return call;
      },
    },
  },
  deleteContactMessage: { access: 'admin', call: aMessage },
};
