// Takes the folder named and keeps it until somebody ends this process.
import { lockFolder } from '../dist/index.js';

try {
  lockFolder(process.argv[2]);
  process.stdout.write('held\n');
  setInterval(() => {}, 60_000);
} catch (error) {
  process.stdout.write(`${error.message}\n`);
}
