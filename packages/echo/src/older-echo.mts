// See index.mts.
export * from './older-echo.js';
