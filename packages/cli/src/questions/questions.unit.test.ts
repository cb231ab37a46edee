import { askAnswer } from '../terminal/ask.js';
import { Output } from '../terminal/output.js';
import { type LiveQuestion, TerminalQuestions } from './terminal-questions.js';

jest.mock('../terminal/ask.js', () => ({ isInteractive: () => true, askAnswer: jest.fn() }));

describe('questions of a run at a terminal', () => {
  /** Ends the open prompt as if the person had typed this text. */
  let type: (text: string) => void;
  let prompts: string[];
  let lines: string[];
  const line = (text: string) => () => void lines.push(text);
  const answers: string[] = [];
  const question = (id: number, more: Partial<LiveQuestion> = {}): LiveQuestion => ({
    id,
    text: `question ${id}`,
    choices: [],
    isOpen: async () => true,
    answer: async text => answers.push(`${id} ${text}`),
    ...more,
  });
  const settled = () => new Promise(resolve => setImmediate(resolve));

  beforeEach(() => {
    prompts = [];
    lines = [];
    answers.length = 0;
    jest.mocked(askAnswer).mockImplementation(({ text }, _instead, signal) => {
      prompts.push(text);
      return new Promise(resolve => {
        type = resolve;
        signal?.addEventListener('abort', () => resolve(undefined));
      });
    });
  });

  const stderr = { isTTY: false, write: (text: string) => Boolean(lines.push(text.trim())) } as NodeJS.WriteStream;
  const questions = () => new TerminalQuestions(new Output(false, stderr, stderr));

  it('appear one after the other, and other output waits until the open one is answered', async () => {
    const asked = questions();
    asked.add(question(1));
    asked.write(line('echo a'));
    asked.add(question(2));
    await settled();
    expect([prompts, lines]).toEqual([['question 1'], []]);
    type('yes');
    await settled();
    expect([prompts, lines, answers]).toEqual([['question 1', 'question 2'], ['echo a'], ['1 yes']]);
    type('no');
    await settled();
    asked.write(line('echo b'));
    expect([lines, answers]).toEqual([
      ['echo a', 'echo b'],
      ['1 yes', '2 no'],
    ]);
  });

  it('disappear if they are closed before, while or after they wait for their turn', async () => {
    const asked = questions();
    asked.add(question(1, { isOpen: async () => false }));
    asked.add(question(2));
    asked.add(question(3));
    asked.add(question(4));
    await settled();
    asked.close(3);
    asked.close(2);
    await settled();
    expect(prompts).toEqual(['question 2', 'question 4']);
    asked.closeAll();
    await settled();
    expect([prompts.length, answers]).toEqual([2, []]);
  });

  it('report an answer that the platform refused, and continue with the next question', async () => {
    const asked = questions();
    asked.add(question(1, { answer: async () => Promise.reject(Object.assign(new Error('closed'), { code: 'x' })) }));
    asked.add(question(2));
    await settled();
    type('late');
    await settled();
    expect([lines, prompts.at(-1)]).toEqual([['Your answer was not delivered: closed'], 'question 2']);
    asked.closeAll();
  });
});
