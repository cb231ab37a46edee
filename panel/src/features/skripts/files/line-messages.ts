import { StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view';

interface LineMessage {
  /** Offset in the line. */
  at: number;
  message: string;
}

/** Shows these messages instead of earlier ones. */
export const setLineMessages = StateEffect.define<readonly LineMessage[]>();

class MessageWidget extends WidgetType {
  constructor(readonly message: string) {
    super();
  }

  override eq(other: MessageWidget): boolean {
    return other.message === this.message;
  }

  toDOM(): HTMLElement {
    const text = document.createElement('div');
    text.className = 'line-message';
    text.textContent = this.message;
    return text;
  }
}

const markLine = Decoration.line({ class: 'line-failed' });

/** Marks lines, and writes what is wrong with them below. The marks move with the text. */
export const lineMessages = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    const { effects, changes, newDoc } = transaction;
    const set = effects.find(effect => effect.is(setLineMessages));
    if (!set) return marks.map(changes);
    const ranges = (set.value as readonly LineMessage[]).flatMap(({ at, message }) => {
      const { from, to } = newDoc.lineAt(at);
      const [first = ''] = message.split('\n');
      return [
        markLine.range(from),
        Decoration.widget({ widget: new MessageWidget(first), side: 1, block: true }).range(to),
      ];
    });
    return Decoration.set(ranges, true);
  },
  provide: field => EditorView.decorations.from(field),
});
