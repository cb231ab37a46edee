// Locks the folder in its argument until the process is killed.
import { lockFolder } from '../dist/index.js';

try {
  lockFolder(process.argv[2]);
  process.stdout.write('held\n');
  setInterval(() => {}, 60_000);
} catch (error) {
  process.stdout.write(`${error.message}\n`);
}
