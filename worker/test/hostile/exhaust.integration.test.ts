import { testHostileSkripts } from './test-hostile-skripts.js';

// The limits are small, so that the skripts reach them soon. There is no limit of processor time, because skripts would
// reach it before another limit on a slow machine.
testHostileSkripts(['exhaust'], {
  TRAWL_RUN_MEMORY_MB: '128',
  TRAWL_RUN_PROCESSES: '40',
  TRAWL_RUN_FILES: '2000',
  TRAWL_RUN_OPEN_FILES: '1000',
  TRAWL_RUN_DISK_MB: '16',
});
testHostileSkripts(['processor-time'], { TRAWL_RUN_CPU_S: '1' });
