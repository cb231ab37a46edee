import type { HeaderPair } from '@trawl/contracts';
import { redactedBody } from '../../records/redact-record.js';
import { isCredentialHeader } from '../../redaction/credentials.js';
import { GrowingFinder } from '../../redaction/growing-finder.js';
import { Redaction } from '../../redaction/redaction.js';

/** Shorter values occur in other texts by chance. */
const MIN_COOKIE_CHARS = 8;
const MAX_COOKIES = 1_000;
const AUTHORIZATION = /^(?:proxy-)?authorization$/i;
/** A value of another header that is probably a token, and not a word such as `required`: replacing that would spoil bodies. */
const TOKEN = /^(?=.*(?:\d|[a-z].*[A-Z]|[A-Z].*[a-z])).{16,}$/;
/** Name of the global function that @trawl/storage tells the values of sessions. */
const SESSION_VALUE = Symbol.for('trawl.sessionValue');
const SET_COOKIE = /^\s*([^=;\s]+)=("?)([^;"]*)\2/;

/**
 * Replaces what a record must not contain: the values of the input secret, and those of cookies. A value always gets the
 * same placeholder, so that the requests of a replay, which sends the placeholder back, equal those of the record.
 */
export class RecordRedaction {
  readonly #secrets: Redaction;
  readonly #cookies = new Map<string, string>();
  /** Finds all values at once: a body may have 16 MB, and the skript waits meanwhile. */
  readonly #finder = new GrowingFinder(() => this.#cookies.keys());

  /** How often @trawl/storage has told a value of a session. */
  told = 0;

  /** @param secret JSON text */
  constructor(secret: string | null) {
    this.#secrets = new Redaction(secret);
  }

  /** Redacts the values of sessions, too, which @trawl/storage tells. */
  listenToSessions(): void {
    (globalThis as Record<symbol, unknown>)[SESSION_VALUE] = (value: string) => {
      this.told += 1;
      this.#secrets.addSession(value);
    };
  }

  text(text: string): string {
    return this.#secrets.text(this.#cookies.size === 0 ? text : this.#withoutCookies(text));
  }

  #withoutCookies(text: string): string {
    let redacted = '';
    let from = 0;
    for (const { start, end } of this.#finder.find(text).spans) {
      const found = text.slice(start, end);
      redacted += text.slice(from, start) + (this.#cookies.get(found) ?? this.#placeholders(found));
      from = end;
    }
    return redacted + text.slice(from);
  }

  /** Replaces values that overlap. Each character is part of one, so no other character is left. */
  #placeholders(values: string): string {
    const lengths = [...new Set([...this.#cookies.keys()].map(({ length }) => length))].sort((a, b) => b - a);
    let placeholders = '';
    for (let at = 0; at < values.length; ) {
      const length = lengths.find(some => this.#cookies.has(values.slice(at, at + some))) ?? 0;
      placeholders += this.#cookies.get(values.slice(at, at + length)) ?? '';
      at += length || 1;
    }
    return placeholders || 'redacted';
  }

  body(body: Buffer): Buffer {
    return redactedBody(body, text => this.text(text));
  }

  /** Redacts the headers of an answer. Call it before `text` for anything that may contain the values of its cookies. */
  headers(headers: readonly HeaderPair[]): HeaderPair[] {
    return headers.map(([name, value]) => {
      if (name.toLowerCase() === 'set-cookie') return [name, this.text(this.#cookie(value))];
      return [name, this.text(isCredentialHeader(name) ? this.#credential(name, value) : value)];
    });
  }

  /** Replaces a token in a header of an answer, such as `Bearer …`. The skript may send it back anywhere. */
  #credential(name: string, header: string): string {
    const value = header.trim().split(/\s+/).at(-1) ?? '';
    const isToken = AUTHORIZATION.test(name) ? value.length >= MIN_COOKIE_CHARS : TOKEN.test(value);
    if (!isToken) return header;
    const placeholder = `redacted-${name.toLowerCase()}`;
    for (const form of [value, encodeURIComponent(value)]) this.#remember(form, placeholder);
    return header.replace(value, () => placeholder);
  }

  #cookie(header: string): string {
    const [found, name = '', , value = ''] = SET_COOKIE.exec(header) ?? [];
    if (found === undefined || value === '') return header;
    const placeholder = `redacted-${name.replaceAll(/[^\w-]/g, '')}`;
    if (value.length >= MIN_COOKIE_CHARS) {
      for (const form of [value, encodeURIComponent(value)]) this.#remember(form, placeholder);
    }
    return `${name}=${placeholder}${header.slice(found.length)}`;
  }

  /** Forgets the value that came first if there are too many. */
  #remember(value: string, placeholder: string): void {
    if (!this.#cookies.delete(value)) this.#finder.add(value);
    this.#cookies.set(value, placeholder);
    const [oldest] = this.#cookies.keys();
    if (this.#cookies.size > MAX_COOKIES) this.#cookies.delete(oldest as string);
  }
}
