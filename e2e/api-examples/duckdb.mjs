import { parseArgs } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';

// Takes the place of DuckDB's command line, which npm does not have: `duckdb -csv -c SQL`.
const args = process.argv.slice(2).map(arg => (arg === '-csv' ? '--csv' : arg));
const { values } = parseArgs({ args, options: { csv: { type: 'boolean' }, command: { type: 'string', short: 'c' } } });
if (!values.csv || !values.command) throw new Error('expected -csv and -c');
const connection = await (await DuckDBInstance.create()).connect();
const answer = await connection.runAndReadAll(values.command);
for (const row of [answer.columnNames(), ...answer.getRowsJson()]) console.log(row.join(','));
connection.closeSync();
