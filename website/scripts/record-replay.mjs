import { eventually, PRACTICE_URL, send } from './trawl-client.mjs';

/** Records a run, asks for selectors, and replays it. @returns the calls that download the record and the rows beside it, for the examples */
export async function recordReplay({ go, token, skriptId }) {
  const { answer: run } = await send('POST', '/joint-api/execute-skript/single-worker/start?record=true', {
    body: { skript_id: skriptId, input: { base_url: `${PRACTICE_URL}/` } },
    token,
  });
  const path = `/joint-api/skript-execution/${run.id}`;
  // The worker uploads the record after the end of the run.
  await eventually('the record of a run', async () => (await send('GET', path, { token })).answer.record);
  await go('suggestSelectors', 'GET', `${path}/selectors?field=title`);
  await go('suggestRowSelectors', 'GET', `${path}/row-selectors`);
  await go('replayRun', 'POST', `${path}/replay`, { on_miss: 'fail' });
  return {
    downloadRecord: {
      path: `${path}/record`,
      answer_file: 'page-title.record',
      status: 200,
      answer: 'page-title.record: 1 exchange',
    },
    downloadInsertedRows: {
      path: `${path}/record/rows`,
      answer_file: 'rows.ndjson',
      status: 200,
      answer: '{"target":"mongodb:titles","row":{"title":"Practice shop"}}',
    },
  };
}
