import { appForFile } from '../../../../test/test-app.js';
import { isSignedBy } from '../../../../test/test-receiver.js';
import { until } from '../../../../test/until.js';

const { developer } = appForFile({});

it('a webhook of `trawl:log` keeps its deliveries as delivered, and each has a request that its secret signs', async () => {
  const body = { name: 'listen', url: 'trawl:log', events: ['run.failed'] };
  const { body: webhook } = await developer('POST', '/joint-api/webhooks/addnew', body);
  expect(webhook).toMatchObject({ url: 'trawl:log', enabled: true });
  const path = `/joint-api/webhooks/${webhook.id}`;
  const { body: test } = await developer('POST', `${path}/test`);
  const delivery = await until(
    async () => (await developer('GET', `${path}/deliveries/${test.id}`)).body,
    ({ state }) => state !== 'pending',
  );
  expect(delivery).toMatchObject({ state: 'delivered', attempts: 1, response_status: null, error: null });
  expect((await developer('GET', path)).body).toMatchObject({ enabled: true, failing_since: null });

  const { body: request } = await developer('GET', `${path}/deliveries/${test.id}/request`);
  expect(request).toMatchObject({ url: 'trawl:log', headers: { 'webhook-id': test.id } });
  expect(JSON.parse(request.body)).toEqual(delivery.payload);
  expect(isSignedBy(webhook.secret, { text: request.body, headers: request.headers })).toBe(true);
  expect(isSignedBy(webhook.secret, { text: `${request.body} `, headers: request.headers })).toBe(false);
  expect((await developer('PUT', path, { url: 'trawl:other' })).status).toBe(400);
});
