import { testHostileSkripts } from './test-hostile-skripts.js';

testHostileSkripts('lie');
