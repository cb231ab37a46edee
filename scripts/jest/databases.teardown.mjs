// @ts-check
import { databases, setDatabases } from './databases.setup.mjs';

export default async function stopTestDatabases() {
  const running = databases();
  setDatabases(undefined);
  await running?.stop();
}
