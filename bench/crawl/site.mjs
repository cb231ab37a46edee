// Serves the folder in argv[2]. Prints the port.
import { createServer } from 'node:http';
import sirv from 'sirv';

const serve = sirv(String(process.argv[2]));
const server = createServer((request, response) => serve(request, response, () => void response.writeHead(404).end()));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(`port ${typeof address === 'object' && address ? address.port : 0}`);
});
