// Starts Parse Server with the two cloud functions of the benchmark `peers` and with logs in files. Prints its port.
import express from 'express';
import { ParseServer } from 'parse-server';

const server = new ParseServer({
  databaseURI: process.env.DATABASE_URI,
  appId: process.env.APP_ID,
  masterKey: process.env.MASTER_KEY,
  serverURL: 'http://127.0.0.1/parse',
  logsFolder: process.env.PARSE_SERVER_LOGS_FOLDER,
  silent: true,
  cloud: ({ Cloud }) => {
    Cloud.define('echo', ({ params }) => params);
    Cloud.define('log', ({ params, log }) => {
      for (let n = 0; n < 100; n++) log.info(`line ${n}`);
      return params;
    });
  },
});
await server.start();
const app = express();
app.use('/parse', server.app);
const listening = app.listen(Number(process.env.PORT), '127.0.0.1', () =>
  console.log(`port ${listening.address().port}`),
);
