import { Dataset, RequestQueue } from 'crawlee';

const queue = await RequestQueue.open('ports');
const first = await queue.addRequest({ url: 'http://ports.example/a', userData: { n: 1 } });
const again = await queue.addRequest({ url: 'http://ports.example/a#top' });
await queue.addRequests([{ url: 'http://ports.example/b' }, { url: 'http://ports.example/c' }]);
await queue.addRequest({ url: 'http://ports.example/urgent' }, { forefront: true });
const order = [];
let reclaimed = false;
while (!(await queue.isFinished())) {
  const request = await queue.fetchNextRequest();
  if (!request) continue;
  order.push(new URL(request.url).pathname + request.retryCount);
  if (request.url.endsWith('/b') && !reclaimed) {
    reclaimed = true;
    request.retryCount += 1;
    await queue.reclaimRequest(request);
  } else {
    await queue.markRequestHandled(request);
  }
}
const { handledRequestCount, pendingRequestCount } = await queue.getInfo();
await Dataset.pushData({
  order,
  known: [first.wasAlreadyPresent, again.wasAlreadyPresent],
  handled: handledRequestCount,
  pending: pendingRequestCount,
});
await queue.drop();
