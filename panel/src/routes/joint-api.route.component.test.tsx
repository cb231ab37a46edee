import { screen } from '@testing-library/react';
import { hasUnsavedWork } from '../components/unsaved/unsaved-work.js';
import { callOf, curlOf, javascriptOf } from '../features/route-testing/call.js';
import { type OpenApiDocument, readOperations } from '../features/route-testing/operations.js';
import { fill, press, sent, showScreen } from '../test-screen.js';
import JointApiRoute from './joint-api.route.js';

const DOCUMENT: OpenApiDocument = {
  paths: {
    '/joint-api/skripts/{skript_id}': {
      get: {
        operationId: 'getSkript',
        summary: 'Get a skript',
        tags: ['Skripts'],
        security: [{ bearer: [] }],
        parameters: [{ $ref: '#/components/parameters/SkriptId' } as never],
      },
    },
    '/joint-api/skripts/addnew': {
      post: {
        operationId: 'createSkript',
        summary: 'Add a skript',
        tags: ['Skripts'],
        security: [{ bearer: [] }],
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/CreateSkript' } } } },
      },
    },
    '/ip': { get: { operationId: 'getIp', tags: ['Website'] } },
  },
  components: {
    parameters: { SkriptId: { name: 'skript_id', in: 'path', required: true, schema: { type: 'string' } } },
    schemas: {
      CreateSkript: {
        required: ['title'],
        properties: {
          id: { readOnly: true },
          category: { type: 'string', example: 'general' },
          tags: { type: 'array', items: { type: 'string' } },
          settings: { allOf: [{ $ref: '#/components/schemas/Settings' }] },
          title: { type: 'string', example: 'Books' },
        },
      },
      Settings: { properties: { mode: { type: 'string', enum: ['drain', 'stop'] }, wait: { type: 'boolean' } } },
    },
  },
};

const operation = (id: string) => {
  const found = readOperations(DOCUMENT).find(one => one.id === id);
  if (!found) throw new Error(`no ${id}`);
  return found;
};
const EMPTY = { parameters: {}, body: '', file: null };

describe('an API route read from openapi.yaml', () => {
  it('has an example body with required fields first and without read-only fields', () => {
    const { body } = operation('createSkript');
    const text = body?.type === 'application/json' ? body.example : '';
    expect(JSON.parse(text)).toEqual({
      title: 'Books',
      category: 'general',
      tags: [''],
      settings: { mode: 'drain', wait: false },
    });
    expect(text.indexOf('title')).toBeLessThan(text.indexOf('category'));
  });

  it('gets its path parameters URL-encoded', () => {
    const { path } = callOf(operation('getSkript'), { ...EMPTY, parameters: { skript_id: 'a/b?c' } });
    expect(path).toBe('/joint-api/skripts/a%2Fb%3Fc');
  });

  it('is shown as a curl command quoted for the shell, without the token', () => {
    const call = callOf(operation('createSkript'), { ...EMPTY, body: '{"title":"Ada\'s"}' });
    expect(curlOf(call, 'https://trawl.example')).toBe(
      [
        "curl -X POST 'https://trawl.example/joint-api/skripts/addnew'",
        '-H "Authorization: Bearer $TRAWL_TOKEN"',
        "-H 'Content-Type: application/json'",
        `-d '{"title":"Ada'\\''s"}'`,
      ].join(' \\\n  '),
    );
    expect(curlOf(callOf(operation('getIp'), EMPTY), 'https://trawl.example')).toBe("curl 'https://trawl.example/ip'");
  });
});

describe('the JavaScript shown for an API route', () => {
  it('sends the same request, with the token from an environment variable', async () => {
    const call = callOf(operation('createSkript'), { ...EMPTY, body: '{"title":"Ada\'s `1` \\n"}' });
    const code = javascriptOf(call, 'https://trawl.example');
    const requests: [string, RequestInit][] = [];
    const run = new Function('fetch', 'process', 'console', `return (async () => { ${code} })()`);
    const answered = async (url: string, init: RequestInit) => {
      requests.push([url, init]);
      return new Response('{}');
    };
    await run(answered, { env: { TRAWL_TOKEN: 'trk_1' } }, { log: () => undefined });
    expect(requests).toEqual([
      [
        'https://trawl.example/joint-api/skripts/addnew',
        {
          method: 'POST',
          headers: { Authorization: 'Bearer trk_1', 'Content-Type': 'application/json' },
          body: '{"title":"Ada\'s `1` \\n"}',
        },
      ],
    ]);
    expect(javascriptOf(callOf(operation('getIp'), EMPTY), 'https://x.example')).toContain(
      'fetch("https://x.example/ip");',
    );
  });
});

describe('the page that tests API routes', () => {
  const open = (route: string, served: Parameters<typeof showScreen>[1] = {}) =>
    showScreen(
      <JointApiRoute />,
      { 'GET /openapi.json': { body: DOCUMENT }, ...served },
      `/developer/joint-api?tab=routes&route=${route}`,
    );

  it('sends nothing while a required value is missing', async () => {
    open('getSkript');
    await press('Send');
    expect(screen.getByText('This field is required')).toBeTruthy();
    expect(sent.map(({ call }) => call)).toEqual(['GET /openapi.json']);
  });

  it('shows status, headers and body of a response, also of an error', async () => {
    open('getSkript', {
      'GET /joint-api/skripts/17': { status: 404, body: { error_message: 'There is no skript 17.' } },
    });
    await fill(/skript_id/, '17');
    await press('Send');
    const answer = await screen.findByRole('region', { name: 'Response' });
    expect(answer.textContent).toContain('404');
    expect(answer.textContent).toContain('There is no skript 17.');
    expect(answer.textContent).toContain('application/json');
  });

  it('uses the API key that the user enters', async () => {
    open('getSkript', { 'GET /joint-api/skripts/17': { body: {} } });
    await fill('API key', ' trk_mine ');
    await fill(/skript_id/, '17');
    await press('Send');
    await screen.findByRole('region', { name: 'Response' });
    expect(sent.at(-1)?.authorization).toBe('Bearer trk_mine');
  });

  it('sends the edited example body, and refuses invalid JSON', async () => {
    open('createSkript', { 'POST /joint-api/skripts/addnew': { status: 201, body: { id: '17' } } });
    await fill('Body (JSON)', '{ "title": ');
    await press('Send');
    expect(screen.getByText(/^Not valid JSON/)).toBeTruthy();
    expect(hasUnsavedWork()).toBe(true);
    await fill('Body (JSON)', '{ "title": "Mine" }');
    await press('Send');
    expect((await screen.findByRole('region', { name: 'Response' })).textContent).toContain('201');
    expect(sent.at(-1)?.body).toEqual({ title: 'Mine' });
    expect(hasUnsavedWork()).toBe(false);
  });

  it('shows an error with a retry if the list of routes could not be loaded', async () => {
    showScreen(<JointApiRoute />, {}, '/developer/joint-api?tab=routes');
    expect((await screen.findByRole('alert')).textContent).toContain('/openapi.json');
    expect(screen.getByRole('button', { name: 'Try again' })).toBeTruthy();
  });
});
