import { useTracer } from './index.js';

const REPEAT_PROBLEM_MS = 600_000;

export interface TracingOptions {
  /** Name of the program, unless `OTEL_SERVICE_NAME` names it. */
  service: string;
  version: string;
  /** Called if spans cannot be sent; at most every ten minutes. */
  onProblem: (reason: string) => void;
}

/**
 * Loads OpenTelemetry and sends spans to the collector of `OTEL_EXPORTER_OTLP_ENDPOINT`. The SDK reads the other standard
 * variables itself, such as `OTEL_TRACES_SAMPLER` and `OTEL_EXPORTER_OTLP_HEADERS`.
 * See docs/decisions/0390-metrics-and-traces.md.
 * @returns a function that sends the remaining spans and stops.
 */
export async function startTracing({ service, version, onProblem }: TracingOptions): Promise<() => Promise<void>> {
  const [api, { NodeSDK, resources }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-node'),
  ]);
  let toldAt = Number.NEGATIVE_INFINITY;
  const tell = (...parts: unknown[]) => {
    if (performance.now() - toldAt < REPEAT_PROBLEM_MS) return;
    toldAt = performance.now();
    onProblem(parts.map(String).join(' ').slice(0, 1_000));
  };
  const ignore = () => {};
  const logger = { error: tell, warn: tell, info: ignore, debug: ignore, verbose: ignore };
  api.diag.setLogger(logger, { logLevel: api.DiagLogLevel.WARN, suppressOverrideMessage: true });
  const sdk = new NodeSDK({
    serviceName: process.env.OTEL_SERVICE_NAME || service,
    // The detectors of the process would send its arguments and its user.
    resourceDetectors: [resources.envDetector, resources.hostDetector],
    resource: resources.resourceFromAttributes({ 'service.version': version }),
    instrumentations: [],
    metricReaders: [],
    logRecordProcessors: [],
  });
  sdk.start();
  useTracer({ api, tracer: api.trace.getTracer('trawl', version) });
  return async () => {
    useTracer(null);
    await sdk.shutdown().catch(tell);
    for (const part of [api.trace, api.context, api.propagation, api.diag]) part.disable();
  };
}
