import { appForFile } from '../../../../test/test-app.js';
import { databaseForFile } from '../../../../test/test-mongo.js';
import { makeLogger } from '../../../platform/common/logger.js';

const logged: string[] = [];
const { app } = appForFile({ logger: makeLogger({ logLevel: 'debug' }, { write: line => void logged.push(line) }) });
const database = databaseForFile(app);

it('the log never contains documents that users store, even when an error of MongoDB quotes them', async () => {
  const { at } = database.fresh();
  const document = { _id: 'patient-4711', diagnosis: 'none-of-your-business' };
  await database.api('POST', `${at}/addnew`, document);
  const again = await database.api('POST', `${at}/addnew`, document);
  expect(again.body).toMatchObject({
    error_code: 'storage_duplicate_key',
    error_message: expect.stringContaining('patient-4711'),
  });
  const pipeline = [{ $project: { number: { $toInt: '$diagnosis' } } }];
  const failed = await database.api('POST', `${at}/aggregate`, { pipeline });
  expect(failed.body).toMatchObject({
    error_code: 'storage_rejected',
    error_message: expect.stringContaining('none-of-your-business'),
  });
  const log = logged.join('');
  expect(log).toContain('"failure":"storage_duplicate_key","code":11000');
  expect(log).toContain('"failure":"storage_rejected","code":241,"codeName":"ConversionFailure"');
  expect(log).not.toMatch(/patient-4711|none-of-your-business/);
});
