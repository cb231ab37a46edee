// @ts-check
// Imports point one way: apps import packages, packages import no app, apps never each other.
import { findRooms, findViolations } from './imports.mjs';
import { ROOT } from './start/paths.mjs';

const rooms = findRooms(ROOT);
const violations = findViolations(ROOT, rooms);
for (const violation of violations) console.error(violation);
if (violations.length > 0) process.exitCode = 1;
else console.log(`Imports point the right way in all ${rooms.length} rooms.`);
