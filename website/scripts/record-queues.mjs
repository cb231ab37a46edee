// The calls of the API about queues and polite domains, for record-api.mjs.

const MAIN_JS = `const { queue } = require('@trawl/storage');

module.exports = async () => {
  const pages = queue('shop-pages');
  await pages.add([1, 2, 3].map(page => 'https://shop.example/books?page=' + page));
  const { requests } = await pages.takeNow(2);
  await pages.done(requests[0]);
  await pages.failed(requests[1], 'The page has no price.');
};
`;

/** Runs a skript that fills a queue, and records the calls about it. */
export async function recordQueues({ go, call }) {
  const skript = await call('POST', '/joint-api/skripts/addnew', { title: 'A queue of pages' });
  const file = { skript_id: skript.id, name: 'main.js', content: MAIN_JS };
  await call('POST', '/joint-api/skript-files/addnew', file);
  await call('POST', '/joint-api/execute-skript/single-worker/start', { skript_id: skript.id });
  const { items } = await go('listQueues', 'GET', '/joint-api/queues/list?name_contains=shop');
  const path = `/joint-api/queues/${items[0].id}`;
  await go('getQueue', 'GET', path);
  await go('listQueueHosts', 'GET', `${path}/hosts`);
  await go('retryFailedRequests', 'POST', `${path}/retry-failed`);
  await go('emptyQueue', 'POST', `${path}/empty`);
  await go('deleteQueue', 'DELETE', path);
  await call('DELETE', `/joint-api/skripts/${skript.id}`);
}

/** Sets the budget of a domain, and records the calls about it. */
export async function recordPolite({ go }) {
  const path = '/joint-api/polite-domains/shop.example';
  await go('setPoliteDomain', 'PUT', path, { requests_per_second: 2.5, burst: 1, max_concurrency: 2 });
  await go('getPoliteDomain', 'GET', path);
  await go('listPoliteDomains', 'GET', '/joint-api/polite-domains/list');
  await go('reopenPoliteDomain', 'POST', `${path}/reopen`);
  await go('resetPoliteDomain', 'DELETE', path);
}
