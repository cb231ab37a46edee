const axios = require('axios');
const { parse } = require('csv-parse/sync');
const { echo } = require('@trawl/echo');
const { mongo } = require('@trawl/storage');

const CONTRACT = '2.1';
// Names as the halls write them, to the three-letter codes of the FAO.
const FAO = {
  torsk: 'COD',
  cod: 'COD',
  kuller: 'HAD',
  haddock: 'HAD',
  rødspætte: 'PLE',
  whiting: 'WHG',
  hake: 'HKE',
  havtaske: 'MON',
};
const PRESENTATION = { renset: 'gutted', urenset: 'whole', gutted: 'gutted', whole: 'whole' };
const VALUES = ['weight_kg', 'price_per_kg'];
const ORDER = ['corrected', 'withdrawn', 'new', 'unchanged'];

const danish = text => Number(text.replaceAll('.', '').replace(',', '.'));
const ostrahavn = csv =>
  parse(csv, { columns: true, delimiter: ';' }).map(lot =>
    [lot.Art, lot.Størrelse, lot.Behandling].concat(danish(lot['Mængde kg']), danish(lot['Kr/kg'])),
  );
const brinmouth = ({ lots }) =>
  lots.filter(({ kg }) => kg > 0).map(lot => [lot.species, lot.grade, lot.state, lot.kg, lot.avgPerKg]);
const HALLS = [
  { hall: 'ostrahavn', ending: 'csv', currency: 'DKK', lots: ostrahavn },
  { hall: 'brinmouth', ending: 'json', currency: 'GBP', lots: brinmouth },
  { hall: 'vessen', ending: 'json', currency: 'EUR', lots: brinmouth },
];

module.exports = async ({ base_url, delivery, previous, sale_dates }) => {
  const { data: delivered } = await axios.get(`${base_url}/deliveries/${previous}.json`);
  const before = new Map(delivered.map(row => [row.record_id, row]));
  const rows = new Map();
  for (const { hall, ending, currency, lots } of HALLS) {
    const lists = new Map();
    for (const date of sale_dates) {
      const source_url = `${base_url}/${hall}/${date}.${ending}`;
      const validateStatus = status => [200, 404, 410].includes(status);
      const { status, data } = await axios.get(source_url, { validateStatus });
      if (status === 200) lists.set(date, { source_url, lots: lots(data) });
    }
    const source_state = lists.size > 0 ? 'live' : 'gone';
    if (source_state === 'gone') echo.warn(`${hall} answers for none of its sale days: its last rows are marked gone.`);

    for (const [sale_date, { source_url, lots }] of lists) {
      for (const [species_raw, grade, state, weight_kg, price_per_kg] of lots) {
        const species_code = FAO[species_raw.toLowerCase()] ?? null;
        const size_grade = /^[1-5]$/.test(grade) ? Number(grade) : null;
        const presentation = PRESENTATION[state];
        const record_id = [hall, sale_date, species_code ?? species_raw, size_grade ?? '-', presentation].join('/');
        const lot = { hall, sale_date, species_code, species_raw, size_grade, presentation, weight_kg, price_per_kg };
        const old = before.get(record_id);
        const changed = VALUES.filter(field => old && old[field] !== lot[field]);
        const change = !old ? 'new' : changed.length > 0 ? 'corrected' : 'unchanged';
        const revision = (old?.revision ?? 0) + (change === 'unchanged' ? 0 : 1);
        const head = { record_id, revision, change, changed_fields: changed.join(' ') || null };
        rows.set(record_id, { ...head, contract: CONTRACT, delivery, ...lot, currency, source_state, source_url });
      }
    }
    // What the last delivery had and its list no longer shows was taken back. A list that is gone takes nothing back.
    for (const old of delivered.filter(row => row.hall === hall && !rows.has(row.record_id))) {
      const change = lists.has(old.sale_date) ? 'withdrawn' : 'unchanged';
      const revision = old.revision + (change === 'withdrawn' ? 1 : 0);
      rows.set(old.record_id, { ...old, revision, change, changed_fields: null, delivery, source_state });
    }
  }

  const all = [...rows.values()].sort((a, b) => ORDER.indexOf(a.change) - ORDER.indexOf(b.change));
  const wrong = all.filter(row => !VALUES.every(field => row[field] > 0) || !row.presentation);
  if (wrong.length > 0) throw new Error(`No delivery: ${wrong.map(row => row.record_id)} break contract ${CONTRACT}.`);
  const counts = Object.fromEntries(ORDER.map(change => [change, all.filter(row => row.change === change).length]));
  if (counts.withdrawn > all.length / 4) throw new Error('No delivery: more than a quarter of it was taken back.');
  await mongo.collection(`landings_${delivery}`).insertMany(all);
  return { contract: CONTRACT, delivery, ...counts };
};
