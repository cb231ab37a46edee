import { chromiumForFile } from '../harness/browser/chromium.js';
import { stopClock } from '../harness/browser/page-clock.js';
import { sharedPlatform } from '../harness/shared-platform.js';
import type { ApiRequest } from './api-request.js';
import { FormPage } from './form-page.js';

const MSG = 'We want the prices of six competitors every morning before eight, as one CSV file. '.repeat(2).trim();
/** Valid values for all fields except the sum, because the page decides which sum it asks for. */
const ENTERED = {
  name: 'Ada  King Lovelace',
  email: 'ada.contact@example.com',
  country: 'Croatia',
  subject: 'Prices',
  msg: MSG,
};
/** `npm test` runs one of several cases of the same kind, which the seed chooses. */
const sampleOf = <Case>(cases: Case[]): Case[] =>
  isFullTest ? cases : cases.filter((_, index) => index === testSeed % cases.length);
const SENT = 'The message is sent. We will answer very soon.';

const platform = sharedPlatform();
const chromium = chromiumForFile();
let form: FormPage;

/** Fills in the whole form with the right sum. Returns the two numbers of the sum. */
const enter = async () => {
  const sum = await form.sum();
  await form.fill({ ...ENTERED, result: await form.answerToSum() });
  return sum;
};
const open = async (path = '/contact') => {
  form = await FormPage.open(chromium.browser, platform.url + path);
};
afterEach(async () => {
  expect(form.problems).toEqual([]);
  await form.close();
});

it('the contact form reports the first invalid field, and marks, describes and focuses it', async () => {
  await open();
  const steps: [field: string, wrong: string, message: string][] = [
    ['name', '', 'Enter first and last name'],
    ['name', 'Ada', 'Enter first and last name'],
    ['email', '', 'Enter valid email'],
    ['email', 'ada@example', 'Enter valid email'],
    ['email', 'ada@example.museum', 'Enter valid email'],
    ['country', '', 'Enter country'],
    ['subject', '', 'Enter subject'],
    ['msg', '', 'Enter message'],
    ['msg', `  ${'x'.repeat(129)}  `, 'Enter message with at least 130 characters'],
    ['result', ' ', 'Enter the sum result'],
  ];
  let before = '';
  for (const [field, wrong, text] of steps) {
    if (before && before !== field) await form.fill({ [before]: ENTERED[before as keyof typeof ENTERED] });
    await form.fill({ [field]: wrong });
    await form.submit();
    expect(await form.message()).toEqual({ kind: 'error', text });
    expect(await form.invalid()).toEqual({ [field]: text });
    expect(await form.focused()).toBe(field);
    before = field;
  }
  await form.fill({ result: '3' });
  expect(await form.invalid()).toEqual({});
  expect(form.paths()).toEqual([]);
});

it('a sent contact message is stored with the sender’s IP address, and the form is emptied', async () => {
  await open('/contact?utm=x');
  const [x, y] = await enter();
  await form.submit();
  expect(await form.message()).toEqual({ kind: 'success', text: SENT });
  await form.page.waitForFunction(() => document.activeElement?.matches('form button[type="submit"]'));

  expect(form.paths()).toEqual(['/ip', '/www/contact']);
  const { payload } = await form.requested('/www/contact');
  expect(payload).toEqual({
    ...ENTERED,
    x,
    y,
    result: String(x + y),
    ip: '127.0.0.1',
    time: expect.any(String),
    referer: `${platform.url}/contact?utm=x`,
  });
  expect(new Date(payload.time as string).toISOString()).toBe(payload.time);

  expect(await form.values()).toEqual({
    name: '',
    email: '',
    country: '',
    subject: '',
    msg: '',
    result: '',
    fax_number: '',
  });
  expect(await form.sum()).not.toEqual([x, y]);
  const admin = await platform.as('admin');
  const { body } = await admin('GET', '/joint-api/contact-messages/list');
  expect(body.items.filter((message: any) => message.email === ENTERED.email)).toMatchObject([
    { name: 'Ada King Lovelace', country: 'Croatia', subject: 'Prices', msg: MSG, ip: '127.0.0.1' },
  ]);
});

it('the contact form shows errors for 2100 ms and success for 5500 ms; fields stay marked until edited', async () => {
  await open();
  const clock = await stopClock(form.page);
  await form.submit();
  await form.message();
  await clock.tick(2099);
  expect(await form.messageNow()).not.toBeNull();
  await clock.tick(1);
  expect(await form.messageNow()).toBeNull();
  expect(await form.invalid()).toEqual({ name: 'Enter first and last name' });
  await form.page.keyboard.press('A');
  expect(await form.invalid()).toEqual({});

  form.answerJson('/www/contact', 200, {});
  await enter();
  await form.submit();
  await form.message();
  await clock.tick(5499);
  expect(await form.messageNow()).toEqual({ kind: 'success', text: SENT });
  await clock.tick(1);
  expect(await form.messageNow()).toBeNull();
});

if (isFullTest)
  it('sending the contact form again hides the old message, whose timer does not hide the new one', async () => {
    await open();
    const clock = await stopClock(form.page);
    await form.submit();
    await form.message();
    await clock.tick(2000);
    form.hold('/ip');
    await enter();
    await form.submit();
    await form.requested('/ip');
    expect(await form.messageNow()).toBeNull();
    await clock.tick(21_000);
    await form.message();
    await clock.tick(200);
    expect(await form.messageNow()).not.toBeNull();
  });

if (isFullTest)
  it('after a wrong sum, the contact form shows the error for 2100 ms and a new sum, and keeps its values', async () => {
    await open();
    const clock = await stopClock(form.page);
    const sum = await form.sum();
    await form.fill({ ...ENTERED, result: '99' });
    await form.submit();
    const { kind, text } = await form.message();
    expect([kind, text]).toEqual(['error', expect.stringMatching(/sum/i)]);
    await form.settled();
    expect(await form.invalid()).toEqual({ result: text });
    expect(await form.focused()).toBe('result');
    expect(await form.values()).toMatchObject({ ...ENTERED, result: '99' });
    expect(await form.sum()).not.toEqual(sum);
    await clock.tick(2099);
    expect(await form.messageNow()).toEqual({ kind, text });
    await clock.tick(1);
    expect(await form.messageNow()).toBeNull();
  });

if (isFullTest)
  it('on a phone, the contact form scrolls its message, or the field with the error, into view', async () => {
    await open();
    await form.page.setViewport({ width: 360, height: 500 });
    const isInView = (selector: string) =>
      form.page.waitForFunction(
        wanted => {
          const { top, bottom } = document.querySelector(wanted)?.getBoundingClientRect() ?? { top: -1, bottom: -1 };
          return top >= 0 && bottom <= innerHeight;
        },
        {},
        selector,
      );
    await form.submit();
    await form.message();
    await isInView('form [name="name"]');
    form.answer('/www/contact', request => request.respond({ status: 503, body: '' }));
    await enter();
    // Scroll only until the button is visible, as a visitor on a phone may do. What follows below the button is not
    // visible then.
    await form.page.$eval('form button[type="submit"]', element => {
      element.scrollIntoView({ block: 'end' });
      (element as HTMLButtonElement).click();
    });
    await form.page.waitForSelector('::-p-text(Service Unavailable)');
    await isInView('form [role="status"]');
  });

it.each(
  sampleOf([
    ['a proxy’s HTML page', 'text/html', '<h1>Sorry</h1>', 'Service Unavailable'],
    ['JSON without a message', 'application/json', '{}', 'Service Unavailable'],
    ['JSON with a message', 'application/json', '{"error_message":"Back at nine"}', 'Back at nine'],
  ]),
)('the contact form reports an error 503 whose body is %s', async (_, contentType, body, text) => {
  await open();
  form.answer('/www/contact', request => request.respond({ status: 503, contentType, body }));
  const sum = await enter();
  await form.submit();
  expect(await form.message()).toEqual({ kind: 'error', text });
  expect(await form.sum()).not.toEqual(sum);
});

if (isFullTest)
  it('the contact form reports a network error, and keeps its values and the sum', async () => {
    await open();
    form.answer('/www/contact', request => request.abort('ConnectionRefused'));
    const sum = await enter();
    await form.submit();
    expect(await form.message()).toEqual({ kind: 'error', text: 'Network error' });
    expect(await form.values()).toMatchObject(ENTERED);
    expect(await form.sum()).toEqual(sum);
  });

if (isFullTest)
  it('the contact form reports a timeout after 21000 ms, and does not retry', async () => {
    await open();
    const clock = await stopClock(form.page);
    form.hold('/www/contact');
    const sum = await enter();
    await form.submit();
    await form.requested('/www/contact');
    await clock.tick(20_999);
    expect(await form.messageNow()).toBeNull();
    await clock.tick(1);
    expect(await form.message()).toEqual({ kind: 'error', text: 'Request timeout after 21000 ms' });
    await form.settled();
    expect(form.paths()).toEqual(['/ip', '/www/contact']);
    expect(await form.sum()).toEqual(sum);
  });

it('while the contact form is sent, its button is disabled and a second submit does nothing', async () => {
  await open();
  form.hold('/www/contact');
  await enter();
  // Submits the form twice before the page renders again. Afterwards the test submits it with the keyboard.
  await form.page.$eval('form', element => {
    (element as HTMLFormElement).requestSubmit();
    (element as HTMLFormElement).requestSubmit();
  });
  await form.requested('/www/contact');
  const button = () =>
    form.page.$eval('form button[type="submit"]', element => ({
      disabled: (element as HTMLButtonElement).disabled,
      busy: element.ariaBusy,
      text: element.textContent,
    }));
  expect(await button()).toEqual({ disabled: true, busy: 'true', text: 'Sending' });
  await form.page.focus('form [name="name"]');
  await form.page.keyboard.press('Enter');
  await (await form.requested('/www/contact')).respond({ status: 200, contentType: 'application/json', body: '{}' });
  await form.settled();
  expect(await button()).toEqual({ disabled: false, busy: 'false', text: 'Send Message' });
  expect(form.paths()).toEqual(['/ip', '/www/contact']);
});

it.each(
  sampleOf<[string, (request: ApiRequest) => Promise<void>]>([
    ['cannot be reached', (request: ApiRequest) => request.abort('ConnectionRefused')],
    [
      'fails',
      (request: ApiRequest) =>
        request.respond({ status: 500, contentType: 'application/json', body: '{"external_ip":"1.2.3.4"}' }),
    ],
    ['returns something else', (request: ApiRequest) => request.respond({ status: 200, body: '<p>203.0.113.7</p>' })],
  ]),
)('the contact form sends the message without an IP address when /ip %s', async (_, answering) => {
  await open();
  form.answer('/ip', answering);
  form.answerJson('/www/contact', 200, {});
  await enter();
  await form.submit();
  expect(await form.message()).toEqual({ kind: 'success', text: SENT });
  expect((await form.requested('/www/contact')).payload.ip).toBe('');
});

it('?subject= in the URL fills in the contact form’s subject, on page load and client-side navigation', async () => {
  await open('/contact?subject=Web%20Scraping%20Service');
  expect((await form.values()).subject).toBe('Web Scraping Service');
  // Opens another page as a link of the site does, without loading a new document.
  await form.page.evaluate(() => {
    history.pushState({}, '', '/contact?subject=Demo+Request');
    dispatchEvent(new PopStateEvent('popstate'));
  });
  await form.page.waitForFunction(
    () => (document.querySelector('[name="subject"]') as HTMLInputElement).value === 'Demo Request',
  );
});

it('?subject= in the URL does not overwrite a subject that was typed before or after hydration', async () => {
  form = await FormPage.open(chromium.browser, `${platform.url}/contact?subject=Demo%20Request`, {
    typedWhileLoading: { subject: 'My own words' },
  });
  expect((await form.values()).subject).toBe('My own words');
  await form.page.evaluate(() => {
    history.pushState({}, '', '/contact?subject=Pricing+Inquiry');
    dispatchEvent(new PopStateEvent('popstate'));
  });
  await form.fill({ name: 'Ada' });
  expect((await form.values()).subject).toBe('My own words');
});

if (isFullTest)
  it('?subject= in the URL does not overwrite a typed subject when the visitor leaves the page and returns', async () => {
    await open('/contact?subject=Demo%20Request');
    await form.fill({ subject: 'My own words' });
    await form.page.goto(`${platform.url}/faq`);
    await form.page.goBack();
    await form.settled();
    expect((await form.values()).subject).toBe('My own words');
  });

if (isFullTest)
  it('when the server rejects several fields of the contact form, the first on the page is focused', async () => {
    await open();
    form.answerJson('/www/contact', 400, {
      error_message: 'Look at it again.',
      details: ['msg', 'country', 'name'].map(field => ({ field, message: 'Not so.' })),
    });
    await enter();
    await form.submit();
    await form.message();
    expect(Object.keys(await form.invalid())).toEqual(['name', 'country', 'msg']);
    expect(await form.focused()).toBe('name');
  });

it('people cannot reach the contact form’s honeypot field, and what a bot fills in there is sent', async () => {
  await open();
  const { page } = form;
  const named = JSON.stringify(await page.accessibility.snapshot({ interestingOnly: false }));
  expect(named).toContain('First and last name');
  expect(named).not.toMatch(/fax/i);
  const focused: string[] = [];
  await page.focus('form [name="name"]');
  for (let presses = 0; presses < 8; presses++) {
    focused.push(await form.focused());
    await page.keyboard.press('Tab');
  }
  expect(focused).toEqual(expect.arrayContaining(['name', 'msg', 'result']));
  expect(focused).not.toContain('fax_number');

  form.answerJson('/www/contact', 200, {});
  await enter();
  await page.$eval('[name="fax_number"]', element => {
    (element as HTMLInputElement).value = '1234';
  });
  await form.submit();
  expect((await form.requested('/www/contact')).payload.fax_number).toBe('1234');
});

it('each field of the contact form has a label, an autofill name and an accessible name', async () => {
  await open();
  const { page } = form;
  expect(await form.controls()).toEqual([
    ['name', 'First and last name *', 'name', true],
    ['email', 'E-mail *', 'email', true],
    ['country', 'Country *', 'country-name', true],
    ['subject', 'Subject *', '', true],
    ['msg', 'Message *', '', true],
    ['result', expect.stringMatching(/^How much is \d+ \+ \d+\? \*$/), 'off', true],
  ]);
  const attributes = await page.$eval('form', element => [
    (element as HTMLFormElement).noValidate,
    element.querySelector('[role="status"]')?.getAttribute('aria-live'),
  ]);
  expect(attributes).toEqual([true, 'polite']);
  const groups = await page.$$eval('form optgroup', elements =>
    elements.map(element => [
      (element as HTMLOptGroupElement).label,
      [...element.querySelectorAll('option')].map(option => option.value).slice(0, 6),
    ]),
  );
  expect(groups).toEqual([
    ['Quick Select', ['Canada', 'France', 'Germany', 'United States', 'China', 'India']],
    ['All countries', ['Afghanistan', 'Aland', 'Albania', 'Algeria', 'American Samoa', 'Andorra']],
  ]);
});

it('the contact page shows the e-mail address and links to the privacy policy', async () => {
  await open();
  const { page } = form;
  const mail = await page.$eval('main a[href^="mailto:"]', link => [link.getAttribute('href'), link.textContent]);
  expect(mail[0]).toBe(`mailto:${mail[1]}`);
  expect(await page.$$eval('main svg[role="img"]', images => images.map(image => image.ariaLabel))).toEqual([
    expect.stringContaining('envelope'),
  ]);
  expect(await page.$('main a[href="/legal/privacy-policy"]')).not.toBeNull();
});
