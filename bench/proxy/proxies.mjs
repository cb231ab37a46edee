// @ts-check
// Starts HTTP proxies that take every name for this computer, and prints their ports.
import { createServer } from 'node:http';
import { connect } from 'node:net';

const ports = [];
for (let n = 0; n < Number(process.argv[2]); n++) {
  const server = createServer().on('connect', (request, client) => {
    const target = connect(Number(request.url?.split(':').at(-1)), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connected\r\n\r\n');
      client.pipe(target).pipe(client);
    });
    client.on('error', () => target.destroy());
    target.on('error', () => client.destroy());
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  ports.push(/** @type {import('node:net').AddressInfo} */ (server.address()).port);
}
console.log(JSON.stringify(ports));
