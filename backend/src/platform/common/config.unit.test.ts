import { QUOTAS } from '@trawl/contracts';
import { loadConfig } from './config.js';

const needed = {
  POSTGRES_URL: 'postgres://localhost/trawl',
  MONGODB_URI: 'mongodb://localhost',
  TRAWL_SECRET: 'a secret for tests that is long enough',
};
const load = (env: Record<string, string>) => loadConfig({ ...needed, ...env });

describe('the settings of forms and e-mail', () => {
  it('default to no CORS origins, no trusted proxies and no SMTP', () => {
    expect(load({ TRAWL_CORS_ORIGINS: '', SMTP_URL: '' })).toMatchObject({
      corsOrigins: [],
      trustedProxies: [],
      smtpUrl: undefined,
      contactEmail: undefined,
      siteEmail: 'info@localhost',
    });
  });

  it('accept lists separated by commas', () => {
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

  it.each(['SITE_EMAIL', 'CONTACT_EMAIL'])('accept the default of SITE_EMAIL for %s', name => {
    for (const [publicUrl, address] of [
      ['http://localhost:3000', 'info@localhost'],
      ['http://192.168.1.5:3000', 'info@192.168.1.5'],
      ['http://[::1]:3000', 'info@[::1]'],
    ] as const) {
      expect(load({ TRAWL_PUBLIC_URL: publicUrl }).siteEmail).toBe(address);
      expect(load({ [name]: address })).toMatchObject({
        [name === 'SITE_EMAIL' ? 'siteEmail' : 'contactEmail']: address,
      });
    }
  });

  it('with an invalid e-mail address are refused with the expected form and the given value', () => {
    expect(() => load({ SITE_EMAIL: 'info@' })).toThrow(
      'SITE_EMAIL: must be an e-mail address such as info@example.com, got "info@"',
    );
  });

  it.each([
    ['TRAWL_CORS_ORIGINS', '*'],
    ['TRAWL_CORS_ORIGINS', 'https://www.example.com/'],
    ['TRAWL_CORS_ORIGINS', 'https://a.example,www.example.com'],
    ['TRAWL_TRUSTED_PROXIES', 'true'],
    ['TRAWL_TRUSTED_PROXIES', '10.0.0.0/33'],
    ['TRAWL_TRUSTED_PROXIES', '10.0.0.0/8/8'],
    ['TRAWL_TRUSTED_PROXIES', 'fd00::/129'],
    ['TRAWL_TRUSTED_PROXIES', 'fe80::1%eth0'],
    ['TRAWL_TRUSTED_PROXIES', 'proxy.example.com'],
    ['SMTP_URL', 'mail.example.com:587'],
    ['SMTP_URL', 'smtp://'],
    ['SMTP_URL', 'https://mail.example.com'],
    ['CONTACT_EMAIL', 'somebody'],
    ['SITE_EMAIL', 'a@b.example\r\nBcc: c@d.example'],
  ])('with %s=%s are refused, and the error names the variable', (name, value) => {
    expect(() => load({ [name]: value })).toThrow(name);
  });
});

describe('the object store for echoes', () => {
  const bucket = { TRAWL_S3_BUCKET: 'echoes' };

  it('is off without a bucket, and used with a bucket unless TRAWL_ECHO_STORE is postgres', () => {
    expect(load({})).toMatchObject({ s3: undefined, echoStore: 'postgres' });
    expect(load(bucket)).toMatchObject({
      s3: { bucket: 'echoes', url: undefined, region: 'us-east-1', credentials: undefined, pathStyle: false },
      echoStore: 's3',
    });
    expect(load({ ...bucket, TRAWL_ECHO_STORE: 'postgres' })).toMatchObject({ s3: {}, echoStore: 'postgres' });
  });

  it('has the bucket in the path of its URL by default if TRAWL_S3_URL is set', () => {
    const env = { ...bucket, TRAWL_S3_URL: 'https://s3.example.com' };
    expect(load(env).s3).toMatchObject({ url: 'https://s3.example.com', pathStyle: true });
    expect(load({ ...env, TRAWL_S3_PATH_STYLE: '0' }).s3).toMatchObject({ pathStyle: false });
  });

  it.each([
    ['TRAWL_S3_BUCKET', { TRAWL_ECHO_STORE: 's3' }],
    ['TRAWL_S3_BUCKET', { TRAWL_S3_URL: 'https://s3.example.com' }],
    ['TRAWL_S3_ACCESS_KEY_ID', { ...bucket, TRAWL_S3_SECRET_ACCESS_KEY: 'half' }],
    ['TRAWL_S3_SECRET_ACCESS_KEY', { ...bucket, TRAWL_S3_ACCESS_KEY_ID: 'half' }],
  ])('is refused if %s is missing beside the other settings', (missing, env) => {
    expect(() => load(env as Record<string, string>)).toThrow(`${missing}: must be set together with`);
  });
});

describe('the quotas', () => {
  it('have the documented defaults, are unlimited at 0, and must be whole numbers', () => {
    expect(load({}).quotas).toEqual(QUOTAS);
    expect(load({ TRAWL_QUOTA_SKRIPTS: '0', TRAWL_QUOTA_STORAGE_BYTES: '5000000000' }).quotas).toEqual({
      ...QUOTAS,
      skripts: 0,
      storage_bytes: 5_000_000_000,
    });
    expect(() => load({ TRAWL_QUOTA_RUNS_AT_ONCE: '-1' })).toThrow('TRAWL_QUOTA_RUNS_AT_ONCE');
    expect(() => load({ TRAWL_QUOTA_RUNS_AT_ONCE: 'many' })).toThrow('TRAWL_QUOTA_RUNS_AT_ONCE');
  });
});

describe('the setting TRAWL_FIRST_ACCOUNTS', () => {
  const accounts = (value: unknown) => () =>
    load({ TRAWL_FIRST_ACCOUNTS: typeof value === 'string' ? value : JSON.stringify(value) }).firstAccounts;
  const admin = { username: 'Grace', role: 'admin', password: 'a password for tests' };

  it('is read from JSON, with user names in lower case', () => {
    expect(accounts([admin])()).toEqual([{ ...admin, username: 'grace' }]);
    expect(load({}).firstAccounts).toBeUndefined();
  });

  it.each([
    ['no JSON', 'admin:secret-secret', /must be JSON such as/],
    ['a short password', [{ ...admin, password: 'secret' }], /0: password: /],
    ['no administrator', [{ ...admin, role: 'developer' }], /at least one account must have the role admin/],
    ['a user name twice', [admin, { ...admin, username: 'grace' }], /two accounts have the same username/],
  ])('is refused with %s, and the error repeats no password', (_, value, message) => {
    expect(accounts(value)).toThrow(message);
    expect(accounts(value)).not.toThrow(/secret/);
  });
});
