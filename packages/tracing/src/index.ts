import type { Attributes, Span, SpanKind, Tracer } from '@opentelemetry/api';

type Api = typeof import('@opentelemetry/api');
type Kind = keyof typeof SpanKind;

export interface SpanOptions {
  kind?: Kind;
  attributes?: Attributes;
  /** The header `traceparent` of the span that caused this one. Default: the span that is active where it begins. */
  parent?: string | undefined;
}

let tracing: { api: Api; tracer: Tracer } | null = null;

/** From now on, spans are made with this tracer; with null, none. */
export function useTracer(wanted: { api: Api; tracer: Tracer } | null): void {
  tracing = wanted;
}

/** A span that has begun. */
export class OpenSpan {
  constructor(
    private readonly api: Api,
    private readonly span: Span,
  ) {}

  /** Calls `work`. Spans that begin in it, also after an `await`, are children of this one. */
  run<Result>(work: () => Result): Result {
    return this.api.context.with(this.api.trace.setSpan(this.api.context.active(), this.span), work);
  }

  set(attributes: Attributes): void {
    this.span.setAttributes(attributes);
  }

  rename(name: string): void {
    this.span.updateName(name);
  }

  /** Marks the span as failed. */
  fail(message: string): void {
    this.span.setStatus({ code: this.api.SpanStatusCode.ERROR, message });
  }

  end(): void {
    this.span.end();
  }
}

/** Begins a span, which the caller must end. Returns undefined while tracing is off. */
export function beginSpan(name: string, { kind = 'INTERNAL', attributes = {}, parent }: SpanOptions = {}) {
  if (!tracing) return undefined;
  const { api, tracer } = tracing;
  const active = api.context.active();
  const from = parent === undefined ? active : api.propagation.extract(active, { traceparent: parent });
  return new OpenSpan(api, tracer.startSpan(name, { kind: api.SpanKind[kind], attributes }, from));
}

/** Calls `work` in a span, which ends with it and is marked as failed if it rejects. */
export async function inSpan<Result>(
  name: string,
  options: SpanOptions,
  work: (span: OpenSpan | undefined) => Promise<Result>,
): Promise<Result> {
  const span = beginSpan(name, options);
  if (!span) return work(undefined);
  try {
    return await span.run(() => work(span));
  } catch (error) {
    span.fail(error instanceof Error ? error.message : String(error));
    throw error;
  } finally {
    span.end();
  }
}

/** Returns the header `traceparent` of the active span; undefined without one. */
export function traceparent(): string | undefined {
  if (!tracing) return undefined;
  const headers: { traceparent?: string } = {};
  tracing.api.propagation.inject(tracing.api.context.active(), headers);
  return headers.traceparent;
}

/** Returns whether a span is active, so that a new one would be its child. */
export const isInSpan = (): boolean => tracing !== null && tracing.api.trace.getActiveSpan() !== undefined;
