import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { localCompletionSource } from '@codemirror/lang-javascript';
import { type Diagnostic, forceLinting, linter } from '@codemirror/lint';
import { type EditorState, type Extension, StateEffect, StateField } from '@codemirror/state';
import { EditorView, ViewPlugin } from '@codemirror/view';
import type { CodeFile, CodeQuestions } from '@trawl/type-check';
import { bundleDiagnostics } from '../bundle-diagnostics.js';
import { MAX_CHARS, type ReadFiles } from '../use-read-files.js';
import { callHint } from './call-hint.js';
import { codeQuestions } from './code-client.js';
import { symbolCard } from './code-text.js';
import { hoverDocs } from './hover-docs.js';

const IS_CODE = /\.[cm]?[jt]sx?$/;
const NAME = /^[\w$]*$/;
const MODULE = /^[\w$./@-]*$/;
const LINT_DELAY_MS = 400;

const start = StateEffect.define<null>();
const newTypes = StateEffect.define<null>();
/** Whether the user has worked in the editor, which loads the types: about 1 MB. */
const isStarted = StateField.define<boolean>({
  create: () => false,
  update: (started, { effects }) => started || effects.some(effect => effect.is(start)),
});

/**
 * Suggestions, problems, documentation and parameters by TypeScript, for JavaScript and TypeScript files.
 *
 * @param readOthers reads the other files of the skript
 */
export function codeHelp(fileName: string, readOthers: () => Promise<ReadFiles>): Extension {
  if (!IS_CODE.test(fileName)) return [];
  let others: Promise<void> | null = null;
  /** Asks for the problems again. */
  let typesChanged = (): void => {};
  const prepared = async (): Promise<CodeQuestions> => {
    const questions = codeQuestions();
    others ??= readOthers().then(
      ({ files, unread, libraries }) => {
        questions.setFiles(files, unread);
        void libraries.then(types => {
          questions.setLibraries(types);
          typesChanged();
        });
      },
      // Without the other files, TypeScript still knows this one and the libraries that every run has.
      () => questions.setFiles([]),
    );
    await others;
    return questions;
  };

  /** Asks about the text of the editor. Returns null if the user has not worked in it, so that a pointer loads no types. */
  const ask = async <T>(
    state: EditorState,
    question: (questions: CodeQuestions, file: CodeFile) => Promise<T>,
  ): Promise<T | null> => {
    if (!state.field(isStarted) || state.doc.length > MAX_CHARS) return null;
    const file = { name: fileName, content: state.doc.toString() };
    return (
      prepared()
        .then(questions => question(questions, file))
        // The worker could not be loaded. The next question tries again.
        .catch(() => null)
    );
  };

  const suggest = async (context: CompletionContext): Promise<CompletionResult | null> => {
    if (context.state.doc.length > MAX_CHARS) return null;
    if (!context.explicit && !context.matchBefore(/[\w$]+$|\.$|(?:require|import)\(['"]$|from ['"]$/)) return null;
    const file = { name: fileName, content: context.state.doc.toString() };
    try {
      const questions = await prepared();
      const found = await questions.suggestions(file, context.pos);
      if (!found) return null;
      const options = found.items.map(
        ({ name, type, boost }): Completion => ({
          label: name,
          type,
          boost,
          info: async () => {
            const text = await questions.suggestionText(file, context.pos, name);
            return text && symbolCard(text);
          },
        }),
      );
      return { from: found.from, options, validFor: found.areModules ? MODULE : NAME };
    } catch {
      // The worker could not be loaded, for instance without a network. The names of this file are known anyway.
      return localCompletionSource(context);
    }
  };

  const lint = async (view: EditorView): Promise<Diagnostic[]> => {
    const file = { name: fileName, content: view.state.doc.toString() };
    const problems =
      view.state.field(isStarted) && file.content.length <= MAX_CHARS
        ? await prepared()
            .then(questions => questions.problems(file))
            // As above: a later change of the text asks again.
            .catch(() => [])
        : [];
    return [...bundleDiagnostics(view), ...problems];
  };

  return [
    isStarted,
    hoverDocs((state, position) => ask(state, (questions, file) => questions.symbolText(file, position))),
    callHint((state, isAsked) =>
      ask(state, (questions, file) => questions.callHint(file, state.selection.main.head, isAsked)),
    ),
    autocompletion({ override: [suggest] }),
    linter(lint, {
      delay: LINT_DELAY_MS,
      needsRefresh: ({ transactions }) =>
        transactions.some(({ effects }) => effects.some(effect => effect.is(start) || effect.is(newTypes))),
    }),
    ViewPlugin.define(view => {
      typesChanged = () => view.dispatch({ effects: newTypes.of(null) });
      return {
        destroy: () => {
          typesChanged = () => {};
        },
      };
    }),
    EditorView.domEventHandlers({
      focus: (_event, view) => {
        if (view.state.field(isStarted)) return;
        view.dispatch({ effects: start.of(null) });
        forceLinting(view);
      },
    }),
  ];
}
