// @ts-check
// Forwards a TCP port to the unix socket in argv[2], for clients that cannot open a unix socket. Prints the port.
import { connect, createServer } from 'node:net';

const server = createServer({ noDelay: true }, client => {
  const socket = connect(String(process.argv[2]));
  client.pipe(socket).pipe(client);
  for (const end of [client, socket]) {
    end.on('error', () => {
      client.destroy();
      socket.destroy();
    });
  }
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(`port ${typeof address === 'object' && address ? address.port : 0}`);
});
