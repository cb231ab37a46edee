import type { CodeFile, CodeQuestions, LibraryTypes } from '@trawl/type-check';
import type { Question, Reply } from './protocol.js';

interface Waiting {
  resolve: (value: unknown) => void;
  reject: (error: Error) => void;
}

/** Asks a worker about code. One worker serves the page, because the types take a second to load. */
class CodeClient implements CodeQuestions {
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  constructor(private readonly worker: Worker) {
    worker.addEventListener('message', ({ data }: MessageEvent<Reply>) => {
      const waiting = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if ('error' in data) waiting?.reject(new Error(data.error));
      else waiting?.resolve(data.value);
    });
    worker.addEventListener('error', () => {
      client = null;
      for (const { reject } of this.#waiting.values())
        reject(new Error('The worker of the code editor failed to load.'));
      this.#waiting.clear();
    });
  }

  setFiles(...files: Parameters<CodeQuestions['setFiles']>): void {
    // Errors are those of later questions, too.
    this.#ask('setFiles', files).catch(() => undefined);
  }

  setLibraries(types: LibraryTypes): void {
    this.#ask('setLibraries', [types]).catch(() => undefined);
  }

  problems(file: CodeFile) {
    return this.#ask('problems', [file]) as ReturnType<CodeQuestions['problems']>;
  }

  allProblems(...files: Parameters<CodeQuestions['allProblems']>) {
    return this.#ask('allProblems', files) as ReturnType<CodeQuestions['allProblems']>;
  }

  suggestions(file: CodeFile, position: number) {
    return this.#ask('suggestions', [file, position]) as ReturnType<CodeQuestions['suggestions']>;
  }

  suggestionText(file: CodeFile, position: number, name: string) {
    return this.#ask('suggestionText', [file, position, name]) as ReturnType<CodeQuestions['suggestionText']>;
  }

  symbolText(file: CodeFile, position: number) {
    return this.#ask('symbolText', [file, position]) as ReturnType<CodeQuestions['symbolText']>;
  }

  callHint(file: CodeFile, position: number, isAsked: boolean) {
    return this.#ask('callHint', [file, position, isAsked]) as ReturnType<CodeQuestions['callHint']>;
  }

  #ask(method: Question['method'], args: unknown[]): Promise<unknown> {
    this.#lastId += 1;
    const question: Question = { id: this.#lastId, method, args };
    return new Promise((resolve, reject) => {
      this.#waiting.set(question.id, { resolve, reject });
      this.worker.postMessage(question);
    });
  }
}

let client: CodeClient | null = null;

/** Returns the page's client, and starts its worker if there is none. */
export function codeQuestions(): CodeQuestions {
  client ??= new CodeClient(new Worker(new URL('./code-worker.ts', import.meta.url), { type: 'module' }));
  return client;
}
