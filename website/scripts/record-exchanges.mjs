import { eventually, PRACTICE_URL } from './trawl-client.mjs';

/** Records the calls that read what a failed run saw. */
export async function recordExchanges({ go, call }) {
  const seeing = await call('POST', '/joint-api/skripts/addnew', { title: 'Missing page' });
  await call('POST', '/joint-api/skript-files/addnew', {
    skript_id: seeing.id,
    name: 'main.js',
    content:
      "module.exports = async ({ url }) => {\n  if (!(await fetch(url)).ok) throw new Error('No such page');\n};\n",
  });
  const failed = await call('POST', '/joint-api/execute-skript/single-worker/start', {
    skript_id: seeing.id,
    input: { url: `${PRACTICE_URL}/missing` },
  });
  const exchanges = `/joint-api/skript-execution/${failed.id}/exchanges`;
  await eventually('what the failed run saw', async () => (await call('GET', exchanges)).items.length === 1);
  await go('listExchanges', 'GET', exchanges);
  await go('getExchange', 'GET', `${exchanges}/1`);
  await go('downloadExchanges', 'GET', `${exchanges}.har`);
  await call('DELETE', `/joint-api/skripts/${seeing.id}`);
}
