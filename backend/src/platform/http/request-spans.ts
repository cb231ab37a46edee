import { beginSpan } from '@trawl/tracing';
import type { RequestHandler } from 'express';

/**
 * Makes a span of each request, and continues the trace of the caller's header `traceparent`. The span has the route, not
 * the path or the query, which may contain secrets.
 */
export const requestSpans: RequestHandler = (request, response, next) => {
  if (request.originalUrl.startsWith('/health/')) return next();
  const { method, headers } = request;
  const span = beginSpan(method, {
    kind: 'SERVER',
    parent: headers.traceparent as string | undefined,
    attributes: { 'http.request.method': method, 'trawl.request.id': request.id },
  });
  if (!span) return next();
  response.once('close', () => {
    const route: string | undefined = request.route?.path;
    if (route !== undefined) {
      span.rename(`${method} ${route}`);
      span.set({ 'http.route': route });
    }
    span.set({ 'http.response.status_code': response.statusCode });
    if (response.statusCode >= 500) span.fail(`status ${response.statusCode}`);
    span.end();
  });
  span.run(next);
};
