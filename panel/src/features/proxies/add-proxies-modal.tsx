import { useForm } from '@mantine/form';
import type { ProxyPool } from '../../api/entities.js';
import { fieldMessages } from '../../api/field-messages.js';
import { ModalActions } from '../../components/feedback/modal-actions.js';
import { FormModal } from '../../components/unsaved/form-modal.js';
import { LINES_LABEL, LinesField } from './lines-field.js';
import { useAddProxies } from './proxies.js';

const LABELS = { lines: LINES_LABEL };

/** Adds proxies to a pool. */
export function AddProxiesModal({ pool, onClose }: { pool: ProxyPool; onClose: () => void }) {
  const request = useAddProxies();
  const form = useForm({
    initialValues: { lines: '' },
    validate: { lines: lines => (lines.trim() === '' ? 'Enter at least one address' : null) },
  });
  const props = form.getInputProps('lines');
  return (
    <FormModal title={`Add proxies to ${pool.name}`} isDirty={form.isDirty()} onClose={onClose}>
      {close => (
        <form onSubmit={form.onSubmit(({ lines }) => request.mutate({ pool, lines }, { onSuccess: onClose }))}>
          <LinesField data-autofocus {...props} error={props.error ?? fieldMessages(request.error, LABELS).lines} />
          <ModalActions request={request} failure="No proxy was added" labels={LABELS} onCancel={close} type="submit">
            Add proxies
          </ModalActions>
        </form>
      )}
    </FormModal>
  );
}
