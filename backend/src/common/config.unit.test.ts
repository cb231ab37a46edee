import { loadConfig } from './config.js';

const needed = {
  POSTGRES_URL: 'postgres://localhost/trawl',
  MONGODB_URI: 'mongodb://localhost',
  TRAWL_SECRET: 'a secret for tests that is long enough',
};
const load = (env: Record<string, string>) => loadConfig({ ...needed, ...env });

describe('the settings of the forms', () => {
  it('let nobody in, believe nobody and send no e-mail unless told to', () => {
    expect(load({ TRAWL_CORS_ORIGINS: '', SMTP_URL: '' })).toMatchObject({
      corsOrigins: [],
      trustedProxies: [],
      smtpUrl: undefined,
      contactEmail: undefined,
      siteEmail: 'info@localhost',
    });
  });

  it('are lists separated by commas', () => {
    expect(
      load({
        TRAWL_CORS_ORIGINS: 'https://www.example.com, http://localhost:4000',
        TRAWL_TRUSTED_PROXIES: '10.0.0.0/8, ::1,fd00::/64',
        TRAWL_PUBLIC_URL: 'https://trawl.example.com/',
        SMTP_URL: 'smtp://trawl:p%40ss@mail.example.com:587',
      }),
    ).toMatchObject({
      corsOrigins: ['https://www.example.com', 'http://localhost:4000'],
      trustedProxies: ['10.0.0.0/8', '::1', 'fd00::/64'],
      publicUrl: 'https://trawl.example.com',
      siteEmail: 'info@trawl.example.com',
      smtpUrl: 'smtp://trawl:p%40ss@mail.example.com:587',
    });
  });

  it.each([
    ['TRAWL_CORS_ORIGINS', '*'],
    ['TRAWL_CORS_ORIGINS', 'https://www.example.com/'],
    ['TRAWL_CORS_ORIGINS', 'https://a.example,www.example.com'],
    ['TRAWL_TRUSTED_PROXIES', 'true'],
    ['TRAWL_TRUSTED_PROXIES', '10.0.0.0/33'],
    ['TRAWL_TRUSTED_PROXIES', 'proxy.example.com'],
    ['SMTP_URL', 'mail.example.com:587'],
    ['SMTP_URL', 'smtp://'],
    ['SMTP_URL', 'https://mail.example.com'],
    ['CONTACT_EMAIL', 'somebody'],
  ])('refuse %s=%s by name', (name, value) => {
    expect(() => load({ [name]: value })).toThrow(name);
  });
});
