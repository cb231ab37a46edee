const axios = require('axios');
const cheerio = require('cheerio');
const { echo } = require('@trawl/echo');
const { mongo } = require('@trawl/storage');

const KINDS = {
  'INS-OPEN': 'insolvency opened',
  'INS-CLOSE': 'insolvency closed',
  PLAN: 'restructuring plan',
  CAPITAL: 'capital reduced',
  MERGER: 'merger',
  DISSOLVE: 'dissolved',
};
const WORDS = { one: 1, two: 2, three: 3, four: 4, six: 6, eight: 8 };
const PERIOD = /within (\w+) (day|week|month)s? of publication/;
const FIXED = /\bby (\d+ \w+ \d{4})/;
const HEARING = /on (\d+ \w+ \d{4}) at (\d\d:\d\d)(?: in room ([\d.]+\d))?/;

const isoDay = date => date.toISOString().slice(0, 10);
const dayIn = words => isoDay(new Date(`${words} UTC`));

/** The last day of a period that begins on the day after publication, and whether it had to leave a day off. */
function lastDay(published, amount, unit, holidays) {
  const date = new Date(published);
  if (unit === 'month') {
    date.setUTCMonth(date.getUTCMonth() + amount);
    // From 31 January a month leads to 28 February, not into March.
    if (date.getUTCDate() < new Date(published).getUTCDate()) date.setUTCDate(0);
  } else date.setUTCDate(date.getUTCDate() + amount * (unit === 'week' ? 7 : 1));
  const first = isoDay(date);
  while ([0, 6].includes(date.getUTCDay()) || holidays.has(isoDay(date))) date.setUTCDate(date.getUTCDate() + 1);
  return { deadline_on: isoDay(date), deadline_moved: isoDay(date) !== first };
}

function deadlineIn(text, published, holidays) {
  const [deadline_raw, word, unit] = PERIOD.exec(text) ?? [];
  const amount = WORDS[word] ?? Number(word);
  if (amount > 0) return { deadline_raw, ...lastDay(published, amount, unit, holidays) };
  const [fixed, day] = FIXED.exec(text) ?? [];
  return { deadline_raw: fixed ?? null, deadline_on: day ? dayIn(day) : null, deadline_moved: false };
}

module.exports = async ({ base_url, issues }) => {
  const read = async path => (await axios.get(new URL(path, base_url).href)).data;
  const calendar = await read('/court-holidays.ics');
  const holidays = new Set(
    [...calendar.matchAll(/^DTSTART;VALUE=DATE:(\d{4})(\d\d)(\d\d)/gm)].map(([, ...parts]) => parts.join('-')),
  );

  const notices = new Map();
  for (const issue of issues) {
    const path = `/issues/${issue}.xml`;
    const $ = cheerio.load(await read(path), { xml: true });
    const ofCompanies = $('notice:has(debtor[type="company"])').toArray();
    echo.log(`${issue}: ${ofCompanies.length} of ${$('notice').length} notices are about companies`);
    const numbers = $('notice')
      .toArray()
      .map(notice => Number($(notice).attr('no')));
    if (numbers.some((number, i) => number !== i + 1)) throw new Error(`${issue} skips a number: nothing is stored.`);
    for (const notice of ofCompanies) {
      const said = selector => $(notice).find(selector).text().replace(/\s+/g, ' ').trim() || null;
      const kind = KINDS[$(notice).attr('kind')];
      const text = said('text');
      const published_on = $('issue').attr('date');
      const [, number, letter] = /AR\s?([\d.]+)\s?([a-z])/.exec(said('reg')) ?? [];
      const [, hearing, hearing_time = null, hearing_room = null] = HEARING.exec(text) ?? [];
      const notice_no = `${issue}/${$(notice).attr('no')}`;
      const corrects = $(notice).attr('corrects') ?? null;
      if (!kind) throw new Error(`${notice_no} is of the unknown kind ${$(notice).attr('kind')}: nothing is stored.`);
      if (corrects && notices.has(corrects)) notices.get(corrects).superseded_by = notice_no;
      notices.set(notice_no, {
        notice_no,
        published_on,
        kind,
        court: said('court'),
        case_number: said('case'),
        company: said('name'),
        register_raw: said('reg'),
        register_number: number ? `AR ${number.replaceAll('.', '')}${letter}` : null,
        seat: said('seat'),
        ...deadlineIn(text, published_on, holidays),
        hearing_on: hearing ? dayIn(hearing) : null,
        hearing_time,
        hearing_room,
        corrects,
        superseded_by: null,
        notice_text: text,
        issue_url: new URL(path, base_url).href,
      });
    }
  }

  const unread = [...notices.values()].filter(row => /within|\bby \d/.test(row.notice_text) && !row.deadline_on);
  if (unread.length > 0)
    throw new Error(`A period was not understood: ${unread.map(row => row.notice_no).join(', ')}.`);
  await mongo.collection('notices').insertMany([...notices.values()]);
  return { notices: notices.size };
};
