import type { LibraryTypes } from './library-files.js';

/** A file of the skript. */
export interface CodeFile {
  name: string;
  content: string;
}

export interface CodeProblem {
  from: number;
  to: number;
  /** `info`: no mistake, but the user should know, such as that a library has no types here. */
  severity: 'error' | 'warning' | 'info';
  message: string;
}

/** A problem of the skript and where it is. Lines and columns count from 1. */
export interface LocatedProblem {
  file: string;
  line: number;
  column: number;
  message: string;
}

export interface Suggestion {
  name: string;
  /** Kind of symbol in the words of CodeMirror, which chooses the icon by it. */
  type: string;
  /** Suggestions with a higher boost are listed first: from -99 to 99. */
  boost: number;
}

export interface Suggestions {
  /** Start of the text that a suggestion replaces. */
  from: number;
  /** Whether they are names of modules, which may contain dots and slashes. */
  areModules: boolean;
  items: Suggestion[];
}

/** Signature and documentation of a name. */
export interface SymbolText {
  signature: string;
  documentation: string;
}

/** The text of a name in the file, and where the name is. */
export interface LocatedText extends SymbolText {
  from: number;
  to: number;
}

/** The function whose arguments the user types. */
export interface CallHint {
  /** Start of the arguments. */
  from: number;
  /** The signature in three parts: the parameter at the cursor, and the text before and after it. */
  before: string;
  parameter: string;
  after: string;
  /** Documentation of the parameter, or of the function if the parameter has none. */
  documentation: string;
}

/** Questions of the editor about the code. `position` counts characters from 0. */
export interface CodeQuestions {
  /**
   * Replaces all files that the answers are about.
   *
   * @param unread names of other files of the skript. Code may import them, and their exports have any type.
   */
  setFiles(files: readonly CodeFile[], unread?: readonly string[]): void;
  /** Replaces the types of the skript's npm libraries. Without types, their values have the type `any`. */
  setLibraries(types: LibraryTypes): void;
  problems(file: CodeFile): Promise<CodeProblem[]>;
  /**
   * Finds the problems of the files that `tsconfig.json` names, without it of all code, and of what they import. Sets the
   * files as `setFiles` does.
   */
  allProblems(files: readonly CodeFile[], unread?: readonly string[]): Promise<LocatedProblem[]>;
  suggestions(file: CodeFile, position: number): Promise<Suggestions | null>;
  suggestionText(file: CodeFile, position: number, name: string): Promise<SymbolText | null>;
  /** Describes the name whose letter is at the position. */
  symbolText(file: CodeFile, position: number): Promise<LocatedText | null>;
  /**
   * Describes the call around the position.
   *
   * @param isAsked also for a position inside a function among the arguments, where a hint would be in the way
   */
  callHint(file: CodeFile, position: number, isAsked: boolean): Promise<CallHint | null>;
}
