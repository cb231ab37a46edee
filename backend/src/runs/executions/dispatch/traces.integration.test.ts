import { startTracing } from '@trawl/tracing/start-tracing';
import { type ReceivedSpan, traceReceiver } from '../../../../../packages/tracing/test/trace-receiver.js';
import { appForFile } from '../../../../test/test-app.js';
import { fleetForEachTest } from '../../../../test/test-worker.js';

const { app, developer } = appForFile({ settings: { tracing: true } });
const fleet = fleetForEachTest(app);
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const traced = { traceparent: `00-${TRACE}-${CALLER}-01` };

/** Does something while traces are sent, and returns the spans of the caller's trace. */
async function spansOf(work: () => Promise<void>): Promise<ReceivedSpan[]> {
  const receiver = await traceReceiver();
  Object.assign(process.env, receiver.settings);
  const problems: string[] = [];
  try {
    const stop = await startTracing({ service: 'test', version: '1.2.3', onProblem: text => problems.push(text) });
    await work().finally(stop);
  } finally {
    receiver.close();
  }
  expect(problems).toEqual([]);
  return receiver.spans.filter(({ traceId }) => traceId === TRACE);
}

it('one trace connects the caller, the start and the offer to the worker', async () => {
  const worker = await fleet.connect();
  let id = '';
  let offer: any;
  const spans = await spansOf(async () => {
    id = (await fleet.start({ input: { secret: 'nets-and-knots' } }, 'wait_ms=0', traced)).body.id;
    offer = await worker.offers.next();
    await worker.finish(id);
  });
  const call = spans.find(({ parentSpanId }) => parentSpanId === CALLER);
  expect(call).toMatchObject({
    name: 'POST /joint-api/execute-skript/single-worker/start',
    attributes: { 'http.response.status_code': expect.anything(), 'trawl.request.id': expect.any(String) },
    resource: { 'service.name': 'test', 'service.version': '1.2.3' },
  });
  const sent = spans.find(({ name }) => name === 'offer run');
  expect(sent?.parentSpanId).toBe(call?.spanId);
  expect(sent?.attributes['trawl.execution.id']).toBe(id);
  expect(offer.traceparent).toBe(`00-${TRACE}-${sent?.spanId}-01`);
  const statements = spans.filter(({ attributes }) => attributes['db.system.name'] === 'postgresql');
  expect(statements.some(({ parentSpanId }) => parentSpanId === call?.spanId)).toBe(true);
  expect(JSON.stringify(spans)).not.toContain('nets-and-knots');
});

it('the offer of a run that waited for a worker belongs to the trace of its start', async () => {
  let offer: any;
  const spans = await spansOf(async () => {
    const { body } = await fleet.start({}, 'wait_ms=0', traced);
    const worker = await fleet.connect();
    offer = await worker.offers.next();
    await worker.finish(body.id);
  });
  const sent = spans.find(({ name }) => name === 'offer run');
  expect(offer.traceparent).toBe(`00-${TRACE}-${sent?.spanId}-01`);
});

it('a failed SQL statement appears in the trace as a failed span without its values', async () => {
  const spans = await spansOf(async () => {
    const id = '%00nets-and-knots';
    await developer('GET', `/joint-api/skripts/list?title_contains=${id}`, undefined, traced);
    await app.sql('ALTER TABLE skripts RENAME TO skripts_away');
    await developer('GET', '/joint-api/skripts/list', undefined, traced).finally(() =>
      app.sql('ALTER TABLE skripts_away RENAME TO skripts'),
    );
  });
  const failed = spans.filter(({ status }) => status.code === 2);
  expect(failed.map(({ status }) => status.message).sort()).toEqual(
    expect.arrayContaining(['PostgreSQL error 42P01', 'status 500']),
  );
  expect(JSON.stringify(spans)).not.toContain('nets-and-knots');
});

it('an offer has no traceparent if tracing is off', async () => {
  const worker = await fleet.connect();
  const { body } = await fleet.start({}, 'wait_ms=0', traced);
  expect(await worker.offers.next()).not.toHaveProperty('traceparent');
  await worker.finish(body.id);
});
