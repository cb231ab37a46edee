import { traceReceiver } from '../../packages/tracing/test/trace-receiver.js';
import { PlatformStandIn } from './platform-stand-in.js';
import { until } from './run-processes.js';
import { WorkerProcess } from './worker-process.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const OFFER = '00f067aa0ba902b7';

test('in tracing, a run is a span in the trace of its offer, and a failed run is a failed span', async () => {
  const [platform, receiver] = [new PlatformStandIn(), await traceReceiver()];
  await platform.open();
  const worker = await WorkerProcess.create(platform.url);
  try {
    worker.start({ ...receiver.settings, OTEL_BSP_SCHEDULE_DELAY: '100' });
    await platform.connected();
    await platform.run('module.exports = async () => 1;', { traceparent: `00-${TRACE}-${OFFER}-01` });
    await platform.run("module.exports = async () => { throw new Error('nets-and-knots'); };");
    const runs = () => receiver.spans.filter(({ name }) => name === 'run');
    await until(
      async () => runs(),
      found => found.length === 2,
    );
    const [traced, failed] = runs();
    expect(traced).toMatchObject({ traceId: TRACE, parentSpanId: OFFER, resource: { 'service.name': 'trawl-worker' } });
    expect(traced?.attributes).toMatchObject({ 'trawl.action': 'end', 'trawl.environment': 'nodejs' });
    expect(failed?.traceId).not.toBe(TRACE);
    expect(failed?.status).toEqual({ code: 2, message: 'exception' });
    await until(
      async () => receiver.spans.find(({ name, traceId }) => name === 'take process' && traceId === TRACE),
      span => span?.parentSpanId === traced?.spanId,
    );
    expect(JSON.stringify(receiver.spans)).not.toContain('nets-and-knots');
  } finally {
    await worker.remove();
    await platform.close();
    receiver.close();
  }
});
