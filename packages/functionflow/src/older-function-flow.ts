// The package's own name keeps this class outside the bundle of the current one, which it shares with skripts.
import { FunctionFlow } from '@trawl/functionflow';

/** The FunctionFlow that older skripts require as `@mikosoft/functionflow` or `functionflowx`. */
export class OlderFunctionFlow extends FunctionFlow {
  constructor(...args: ConstructorParameters<typeof FunctionFlow>) {
    super(...args);
    // Functions in files of their own find their flow there.
    Object.assign(globalThis, { functionFlow: this });
  }

  protected override rules() {
    return { ...super.rules(), delaysOne: true };
  }
}
