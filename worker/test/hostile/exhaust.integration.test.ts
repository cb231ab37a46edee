import { testHostileSkripts } from './test-hostile-skripts.js';

// The limits are small, so that the skripts reach them soon.
testHostileSkripts(['exhaust'], {
  TRAWL_RUN_MEMORY_MB: '128',
  TRAWL_RUN_CPU_S: '1',
  TRAWL_RUN_PROCESSES: '40',
  TRAWL_RUN_FILES: '2000',
  TRAWL_RUN_OPEN_FILES: '1000',
  TRAWL_RUN_DISK_MB: '16',
});
