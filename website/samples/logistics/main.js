const axios = require('axios');
const { echo } = require('@trawl/echo');
const { mongo } = require('@trawl/storage');

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const COLUMNS = ['BERTH', 'VESSEL', 'IMO', 'VOYAGE', 'ETA', 'ETD', 'CUT-OFF', 'OPERATOR', 'REMARK'];
const STATUS = { ALONGSIDE: 'alongside', SAILED: 'sailed', 'AT ANCHOR': 'anchored', 'OMITS PORT': 'omitted' };

/** The last digit of an IMO number follows from the six before it. */
function isImoNumber(number) {
  const digits = [...number].map(Number);
  return (
    /^\d{7}$/.test(number) && digits.slice(0, 6).reduce((sum, digit, i) => sum + digit * (7 - i), 0) % 10 === digits[6]
  );
}

/** '25.10 02:30' on the clocks of the port, as UTC. Of an hour that a clock shows twice, the earlier one. */
function utcOf(written, issued, timeZone) {
  const [, day, month, time] = /^(\d\d)\.(\d\d) (\d\d:\d\d)$/.exec(written) ?? [];
  if (!time) return null;
  const year = Number(issued.slice(0, 4)) + (month < issued.slice(5, 7) - 6 ? 1 : 0);
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const offsetAt = ms => Date.parse(`${clock.format(ms).replace(' ', 'T')}Z`) - ms;
  const local = Date.parse(`${year}-${month}-${day}T${time}:00Z`);
  const moments = [local - DAY_MS, local + DAY_MS]
    .map(near => local - offsetAt(near))
    .filter(ms => offsetAt(ms) === local - ms);
  if (moments.length === 0) throw new Error(`No clock in ${timeZone} shows ${written}.`);
  return new Date(Math.min(...moments)).toISOString().replace('.000', '');
}

/** The lines of a list whose columns begin where their heads begin. */
function linesOf(text) {
  const lines = text.split('\n');
  const head = lines.find(line => line.startsWith('BERTH'));
  const starts = COLUMNS.map(column => head?.indexOf(column) ?? -1);
  if (starts.includes(-1)) throw new Error(`The head of the list is “${head}”: nothing is stored.`);
  const cell = (line, i) => line.slice(starts[i], starts[i + 1]).trim();
  return lines
    .filter(line => /^\d{7}$/.test(cell(line, 2)))
    .map(line => Object.fromEntries(COLUMNS.map((column, i) => [column, cell(line, i)])));
}

module.exports = async ({ base_url, port_code, time_zone, days }) => {
  const calls = new Map();
  for (const day of days) {
    const list_url = new URL(`/berths/${day}.txt`, base_url).href;
    const { data } = await axios.get(list_url);
    const lines = linesOf(data);
    const utc = written => utcOf(written, day, time_zone);
    for (const line of lines) {
      if (!isImoNumber(line.IMO)) {
        if (day === days.at(-1)) echo.warn(`${line.VESSEL}: ${line.IMO} is not an IMO number, left out`);
        continue;
      }
      const key = `${line.IMO} ${line.VOYAGE}`;
      const before = calls.get(key);
      const [eta_utc, cutoff_utc] = [utc(line.ETA), utc(line['CUT-OFF'])];
      const eta_first_utc = before?.eta_first_utc ?? eta_utc;
      calls.set(key, {
        port_code,
        terminal: /^(.+?) {2,}/.exec(data)[1],
        berth: line.BERTH || null,
        vessel: line.VESSEL,
        imo_number: line.IMO,
        voyage: line.VOYAGE,
        operator: line.OPERATOR,
        status: STATUS[line.REMARK] ?? 'expected',
        eta_raw: line.ETA,
        eta_utc,
        eta_first_utc,
        slip_hours: (Date.parse(eta_utc) - Date.parse(eta_first_utc)) / HOUR_MS,
        eta_changes: (before?.eta_changes ?? 0) + (before && before.eta_utc !== eta_utc ? 1 : 0),
        etd_utc: utc(line.ETD),
        cutoff_raw: line['CUT-OFF'] === 'TBA' ? null : line['CUT-OFF'],
        cutoff_utc,
        cutoff_pulled_forward: Boolean(before?.cutoff_utc && cutoff_utc < before.cutoff_utc),
        last_listed: day,
        list_url,
      });
    }
    echo.log(`${day}: ${lines.length} lines, ${calls.size} calls known`);
  }

  for (const call of calls.values()) {
    const finished = ['sailed', 'omitted'].includes(call.status);
    if (!finished && call.last_listed < days.at(-1)) call.status = 'left the list';
    if (!call.eta_utc) throw new Error(`${call.vessel} ${call.voyage} has no time of arrival: “${call.eta_raw}”.`);
    if (call.etd_utc && call.etd_utc <= call.eta_utc) throw new Error(`${call.vessel} sails before she arrives.`);
    const { imo_number, voyage } = call;
    await mongo.collection('port_calls').replaceOne({ port_code, imo_number, voyage }, call, { upsert: true });
  }
  return { calls: calls.size };
};
