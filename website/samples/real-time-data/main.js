const { setTimeout: sleep } = require('node:timers/promises');
const axios = require('axios');
const { echo } = require('@trawl/echo');
const { mongo } = require('@trawl/storage');

const STATUS = { AVAILABLE: 'free', CHARGING: 'in use', RESERVED: 'in use', BLOCKED: 'in use', OUTOFORDER: 'broken' };
const FAILURES_ALLOWED = 5;
const STILL_POLLS = 180;
const seconds = (from, to) => Math.round((Date.parse(to) - Date.parse(from)) / 1000);
const utc = time => new Date(time).toISOString().replace('.000', '');

module.exports = async ({ base_url, cursor, polls = 600, poll_ms = 5_000 }) => {
  const changes = mongo.collection('connector_changes');
  const seen = new Set();
  const latest = new Map();
  const count = { stored: 0, late: 0, missing: 0, still: 0 };
  let [etag, answered_at] = [];
  let [failures, still, stopped] = [0, 0, false];
  let last_seq = Number(cursor.replace('after-', ''));
  trawl.eventEmitter.on('ff-stop', () => {
    stopped = true;
  });

  for (let poll = 1; poll <= polls && !stopped; poll += 1) {
    if (poll > 1) await sleep(poll_ms);
    const { status, headers, data } = await axios
      .get(`${base_url}/feed/${cursor}.json`, {
        headers: etag ? { 'if-none-match': etag } : {},
        validateStatus: () => true,
      })
      .catch(({ code }) => ({ status: code }));
    failures = status === 200 || status === 304 ? 0 : failures + 1;
    if (failures > FAILURES_ALLOWED)
      throw new Error(`The feed answered ${status} ${failures} times. Resume at ${cursor}.`);
    if (status === 429) await sleep(1_000 * Number(headers['retry-after'] ?? 60));
    if (failures > 0) continue;

    still = status === 304 || data.generated_at === answered_at ? still + 1 : 0;
    if (still > STILL_POLLS)
      throw new Error(`Nothing new since ${answered_at}: is the feed alive? Resume at ${cursor}.`);
    if (still > 0) count.still += 1;
    if (status === 304) continue;
    answered_at = data.generated_at;
    for (const event of data.events.filter(({ id }) => !seen.has(id))) {
      seen.add(event.id);
      const happened_at = utc(event.at);
      const before = latest.get(event.connector);
      const late = before !== undefined && seconds(before.happened_at, happened_at) < 0;
      const lag = seconds(happened_at, answered_at);
      const row = {
        event_id: event.id,
        connector: event.connector,
        status: STATUS[event.status.toUpperCase()] ?? 'unknown',
        happened_at,
        answered_at,
        lag_seconds: lag < 0 ? null : lag,
        late,
        status_before: late ? null : (before?.status ?? null),
        held_seconds: late || !before ? null : seconds(before.happened_at, happened_at),
        status_raw: event.status,
        station: event.station,
        max_kw: event.maxPowerKw,
        seq: event.seq,
        missing_before: event.seq - last_seq - 1,
        poll,
      };
      last_seq = event.seq;
      if (!late) latest.set(event.connector, row);
      if (row.missing_before > 0) echo.warn(`${row.missing_before} event(s) missing before number ${event.seq}`);
      echo.objekt({ connector: row.connector, status: row.status, lag_seconds: row.lag_seconds });
      await changes.replaceOne({ event_id: row.event_id }, row, { upsert: true });
      count.stored += 1;
      count.late += Number(late);
      count.missing += row.missing_before;
    }
    etag = data.next === cursor ? headers.etag : undefined;
    cursor = data.next;
  }
  return { cursor, ...count };
};
