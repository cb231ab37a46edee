import { useInputText } from '../../../../api/requests/inputs/get-input.js';
import { useInputs } from '../../../../api/requests/inputs/list-inputs.js';
import { useDeleteInput } from '../api/delete-input.js';
import { useSaveInput } from '../api/save-input.js';
import { INPUT } from '../named-values.js';
import { NamedValues } from './named-values.js';

export function InputsTab({ skriptId }: { skriptId: string }) {
  const query = useInputs(skriptId);
  const save = useSaveInput(skriptId);
  const remove = useDeleteInput(skriptId);
  const loadText = useInputText();
  return (
    <NamedValues kind={INPUT} query={query} loadText={loadText} onSave={save.mutateAsync} onDelete={remove.mutate} />
  );
}
