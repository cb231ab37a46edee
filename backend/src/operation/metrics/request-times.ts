import type { Request, RequestHandler } from 'express';
import type { Metrics } from '../../platform/common/metrics.service.js';

/** Times each request. Paths without a route, such as the website's files, share the label `other`. */
export const timeRequests =
  ({ requestSeconds }: Metrics): RequestHandler =>
  (request: Request, response, next) => {
    const beganAt = performance.now();
    response.once('close', () => {
      const route = request.route?.path ?? 'other';
      const labels = { method: request.method, route, status: response.statusCode };
      requestSeconds.observe(labels, (performance.now() - beganAt) / 1_000);
    });
    next();
  };
