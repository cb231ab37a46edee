// Starts the databases in the folder of its argument and waits until it is killed.
import { cacheDir, startEmbedded } from '../dist/index.js';

const [dataDir] = process.argv.slice(2);
const { postgresUrl, mongodbUri } = await startEmbedded({
  dataDir,
  cacheDir: cacheDir(),
  durable: false,
  onProgress: () => {},
});
process.stdout.write(`${JSON.stringify({ postgresUrl, mongodbUri })}\n`);
setInterval(() => {}, 60_000);
