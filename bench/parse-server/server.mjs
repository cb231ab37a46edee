// Starts Parse Server on the database at DATABASE_URI. Prints its port.
import express from 'express';
import { ParseServer } from 'parse-server';

const server = new ParseServer({
  databaseURI: process.env.DATABASE_URI,
  appId: process.env.APP_ID,
  masterKey: process.env.MASTER_KEY,
  serverURL: 'http://127.0.0.1/parse',
  allowClientClassCreation: true,
  silent: true,
  logsFolder: null,
});
await server.start();
const app = express();
app.use('/parse', server.app);
const listening = app.listen(0, '127.0.0.1', () => console.log(`port ${listening.address().port}`));
