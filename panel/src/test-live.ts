/** Handlers of the live connection by event. A test calls them to send events. */
export const liveHandlers = new Map<string, (data: unknown) => void>();

/** A stand-in for the live connection. Mock `liveSocket` with it. */
export const testSocket = {
  connected: true,
  on: (event: string, handler: (data: unknown) => void) => void liveHandlers.set(event, handler),
  off: () => undefined,
  emit: () => undefined,
};
