/** Exit code of a worker that asks its supervisor to start it again at once. */
export const RESTART_EXIT_CODE = 75;
