import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheDir } from '@trawl/embedded/cache-dir';
import { fetchDebianPackages } from '@trawl/embedded/debian-packages';
import { appForFile } from '../../../test/test-app.js';
import { fleetForEachTest } from '../../../test/test-worker.js';
import { until } from '../../../test/until.js';
import { LeasesService } from '../../runs/executions/leases/leases.service.js';
import { MetricsServer } from './metrics-server.service.js';

const { app, developer } = appForFile({ settings: { metrics: { port: 0, host: '127.0.0.1' } } });
const fleet = fleetForEachTest(app);

const scrape = async (path = '/metrics') => fetch(`http://127.0.0.1:${app.part(MetricsServer).port}${path}`);
const textOf = async () => (await scrape()).text();

/** Value of a sample such as `trawl_workers{status="online"}`; undefined if it is missing. */
const valueIn = (text: string, sample: string) => {
  const line = text.split('\n').find(each => each.startsWith(`${sample} `));
  return line === undefined ? undefined : Number(line.slice(sample.length + 1));
};
const value = async (sample: string) => valueIn(await textOf(), sample);

it('the metrics count runs that ended, and measure the delay of their starts', async () => {
  const worker = await fleet.connect({ sandbox: 'full' });
  const ended = 'trawl_runs_ended_total{action="error",error_code="skript_error"}';
  const [before, delays] = [(await value(ended)) ?? 0, (await value('trawl_run_start_delay_seconds_count')) ?? 0];
  await fleet.start();
  const { id } = await worker.offers.next();
  await worker.chunk(id, 1, 1, ['a line']);
  await worker.finish(id, { action: 'error', output: null, error_code: 'skript_error', error_stack: 'Error: no' });
  const text = await textOf();
  expect(valueIn(text, ended)).toBe(before + 1);
  expect(valueIn(text, 'trawl_run_start_delay_seconds_count')).toBe(delays + 1);
  expect(valueIn(text, 'trawl_echo_bytes_saved_total')).toBeGreaterThan(0);
});

it('the metrics show live and waiting runs, workers and slots', async () => {
  const worker = await fleet.connect({ sandbox: 'full', slots: 1, chromium: '143.0.7499.40' });
  await fleet.start();
  const { id } = await worker.offers.next();
  await fleet.start({}, 'wait_ms=0&force=true');
  const usage = { cpu: 0, memory_used: 1, memory_total: 2, event_loop_ms: 2_500 };
  await worker.send('beat', { epoch: worker.welcome.epoch, n: 1, free: 0, load: 0, usage });
  await app.part(LeasesService).sweep();
  const text = await textOf();
  expect(valueIn(text, 'trawl_live_runs{state="running"}')).toBe(1);
  expect(valueIn(text, 'trawl_live_runs{state="waiting"}')).toBe(1);
  expect(valueIn(text, 'trawl_waiting_runs{reason="worker_full"}')).toBe(1);
  expect(valueIn(text, 'trawl_waiting_oldest_seconds{reason="worker_full"}')).toBeGreaterThanOrEqual(0);
  expect(valueIn(text, 'trawl_worker_slots')).toBe(1);
  expect(valueIn(text, 'trawl_worker_slots_used')).toBe(1);
  expect(valueIn(text, 'trawl_workers_disk_low')).toBe(0);
  expect(valueIn(text, 'trawl_workers_chromium_old')).toBe(1);
  expect(valueIn(text, 'trawl_workers_connected')).toBe(1);
  expect(valueIn(text, 'trawl_workers_event_loop_blocked_seconds')).toBe(2.5);
  expect(valueIn(text, 'trawl_sweep_duration_seconds_count')).toBeGreaterThan(0);
  await worker.finish(id);
  await worker.finish((await worker.offers.next()).id);
  expect(await value('trawl_waiting_runs{reason="worker_full"}')).toBeUndefined();
});

it('the metrics measure the duration of requests by route, without ids from the path', async () => {
  const list =
    'trawl_http_request_duration_seconds_count{method="GET",route="/joint-api/workers/:worker_id",status="200"}';
  const before = (await value(list)) ?? 0;
  await developer('GET', `/joint-api/workers/${fleet.workerId}`);
  await app.anonymous('GET', `/no-page-${fleet.workerId}`);
  await until(
    () => value(list),
    count => count === before + 1,
  );
  expect(await textOf()).not.toContain(fleet.workerId);
});

it('the metrics show PostgreSQL, the disk and the process, and other paths of their port answer 404', async () => {
  const text = await textOf();
  expect(valueIn(text, 'trawl_postgres_up')).toBe(1);
  expect(valueIn(text, 'trawl_postgres_listening')).toBe(1);
  expect(valueIn(text, 'trawl_postgres_size_bytes')).toBeGreaterThan(1_000_000);
  expect(valueIn(text, 'trawl_disk_total_bytes')).toBeGreaterThan(0);
  expect(valueIn(text, 'trawl_disk_low')).toBe(0);
  expect(valueIn(text, 'trawl_notify_lag_seconds')).toBeLessThan(60);
  expect(valueIn(text, 'trawl_postgres_pool{state="idle"}')).toBeGreaterThan(0);
  expect(valueIn(text, 'nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
  expect((await scrape('/')).status).toBe(404);
  expect((await app.anonymous('GET', '/metrics')).status).toBe(404);
});

const MONITORING = join(__dirname, '../../../../deploy/monitoring');

it.each(['alerts.yaml', 'grafana-dashboard.json'])('%s uses only metrics that exist', async file => {
  const known = (await textOf()).match(/(?<=^# TYPE )\w+/gm);
  const used = readFileSync(join(MONITORING, file), 'utf8').match(/\b(trawl|nodejs|process)_\w+/g) ?? [];
  expect(used.length).toBeGreaterThan(5);
  expect(used.filter(name => !known?.includes(name.replace(/_(bucket|count|sum)$/, '')))).toEqual([]);
});

it('the documentation page about monitoring lists all metrics of the platform, and all alerts', async () => {
  const page = readFileSync(join(__dirname, '../../../../website/docs/tech/monitoring.mdx'), 'utf8');
  const rows = (page.match(/^\| `.+$/gm) ?? []).map(row => row.split('|')[1] as string);
  const listed = (prefix: RegExp) => new Set(rows.flatMap(row => row.match(prefix) ?? []));
  expect(listed(/\btrawl_\w+/g)).toEqual(new Set((await textOf()).match(/(?<=^# TYPE )trawl_\w+/gm)));
  const rules = readFileSync(join(MONITORING, 'alerts.yaml'), 'utf8');
  expect(listed(/\bTrawl\w+/g)).toEqual(new Set(rules.match(/(?<=alert: )\w+/g)));
});

if (isFullTest)
  it('the Prometheus alert rules pass their tests in promtool', async () => {
    const folder = join(cacheDir(), `prometheus-${process.arch}`);
    if (!existsSync(folder)) await fetchDebianPackages({ folder, packages: ['prometheus'] });
    const promtool = promisify(execFile)(join(folder, 'usr/bin/promtool'), ['test', 'rules', 'alerts.test.yaml'], {
      cwd: MONITORING,
    });
    expect((await promtool).stdout).toContain('SUCCESS');
  });
