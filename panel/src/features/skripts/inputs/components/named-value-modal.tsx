import { TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { JsonField } from '../../../../components/code/json-field.js';
import { ModalActions } from '../../../../components/feedback/modal-actions.js';
import { parseTyped } from '../../../../components/json-tree/typed-json.js';
import { FormModal } from '../../../../components/unsaved/form-modal.js';
import { INPUT_SECRET, type NamedValue, type NamedValueKind } from '../named-values.js';

interface NamedValueModalProps {
  kind: NamedValueKind;
  id: string | null;
  initialName: string;
  /** Value as JSON text. It is empty for a saved secret. If the user leaves it empty, the secret keeps its value. */
  initialText: string;
  onClose: () => void;
  onSave: (value: NamedValue) => Promise<void>;
}

export function NamedValueModal({ kind, id, initialName, initialText, onClose, onSave }: NamedValueModalProps) {
  const [name, setName] = useState(initialName);
  const [text, setText] = useState(initialText);
  const [wasTried, setTried] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const keepsValue = id !== null && initialText === '' && text.trim() === '';
  const parsed = keepsValue ? null : parseTyped(text);
  const nameProblem = kind.nameProblem(name.trim());
  const textProblem = parsed && 'problem' in parsed ? parsed.problem : null;

  const restore = (kept: { name: string; text: string }) => {
    setName(kept.name);
    setText(kept.text);
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (nameProblem || textProblem) return;
    setBusy(true);
    try {
      const val = parsed && 'value' in parsed ? { value: parsed.value } : null;
      if (id !== null) await onSave({ id, name: name.trim(), val });
      else if (val) await onSave({ id, name: name.trim(), val });
      onClose();
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };

  return (
    <FormModal
      isDirty={name !== initialName || text !== initialText}
      // The browser keeps no secrets.
      kept={kind === INPUT_SECRET ? undefined : { of: id, input: { name, text }, restore }}
      onClose={onClose}
      size="lg"
      title={id === null ? `New ${kind.noun}` : `Change ${initialName}`}
      closeButtonProps={{ 'aria-label': 'Close without saving' }}
    >
      {close => (
        <form onSubmit={event => void submit(event)}>
          <TextInput
            label="Name"
            value={name}
            onChange={event => setName(event.currentTarget.value)}
            error={wasTried && nameProblem}
            spellCheck={false}
            mb="md"
          />
          <JsonField
            label="Value (JSON)"
            placeholder={id !== null && initialText === '' ? 'Leave blank to keep the saved secret.' : kind.example}
            minRows={6}
            maxRows={18}
            value={text}
            onChange={setText}
            error={wasTried && textProblem}
            autoFocus
          />
          <ModalActions
            request={{ error: failure, isPending: isBusy }}
            failure={`The ${kind.noun} was not saved`}
            onCancel={close}
            type="submit"
          >
            {`Save ${kind.noun}`}
          </ModalActions>
        </form>
      )}
    </FormModal>
  );
}
