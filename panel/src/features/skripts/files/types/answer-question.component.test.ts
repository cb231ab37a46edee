import { CodeService } from '@trawl/type-check';
import { answerQuestion } from './answer-question.js';

it('the code editor forgets the types of libraries that TypeScript cannot read, and answers without them', async () => {
  const service = new CodeService(async () => ({}));
  const deep = { path: 'node_modules/deep/index.d.ts', content: `export type Deep = ${'['.repeat(100_000)}` };
  service.setLibraries({ key: 'deep', files: [deep], left_out: [] });
  const args = [{ name: 'main.js', content: "import 'deep';\nconst = 1;" }];
  const reply = await answerQuestion(service, { id: 1, method: 'problems', args });
  expect(reply).toEqual({ id: 1, value: [expect.objectContaining({ severity: 'error' })] });
});

it('the code editor reports an error that has another reason', async () => {
  const service = new CodeService(() => Promise.reject(new Error('no network')));
  const args = [{ name: 'main.js', content: '' }];
  expect(await answerQuestion(service, { id: 2, method: 'problems', args })).toEqual({
    id: 2,
    error: 'Error: no network',
  });
});
