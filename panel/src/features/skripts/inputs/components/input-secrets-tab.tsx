import { useInputSecrets } from '../../../../api/requests/inputs/list-input-secrets.js';
import { useDeleteInputSecret } from '../api/delete-input-secret.js';
import { useSaveInputSecret } from '../api/save-input-secret.js';
import { INPUT_SECRET } from '../named-values.js';
import { NamedValues } from './named-values.js';

/** The API never returns the value of a secret, so the editor starts empty. */
const noText = async () => '';

export function InputSecretsTab({ skriptId }: { skriptId: string }) {
  const query = useInputSecrets(skriptId);
  const save = useSaveInputSecret(skriptId);
  const remove = useDeleteInputSecret(skriptId);
  return (
    <NamedValues
      kind={INPUT_SECRET}
      query={query}
      loadText={noText}
      onSave={save.mutateAsync}
      onDelete={remove.mutate}
    />
  );
}
