import { FunctionFlow } from './index.js';
import { OlderFunctionFlow } from './older-function-flow.js';

afterEach(() => {
  Reflect.deleteProperty(globalThis, 'functionFlow');
});

test('global.functionFlow is the older flow that was made last, and never a current flow', () => {
  const ofSkript = () => (globalThis as { functionFlow?: unknown }).functionFlow;
  new FunctionFlow();
  expect(ofSkript()).toBeUndefined();
  new OlderFunctionFlow();
  const last = new OlderFunctionFlow();
  expect(ofSkript()).toBe(last);
  expect(last).toBeInstanceOf(FunctionFlow);
});
