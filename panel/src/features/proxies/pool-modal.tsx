import { Checkbox, NumberInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ProxyPool } from '../../api/entities.js';
import { fieldMessages } from '../../api/field-messages.js';
import { ModalActions } from '../../components/feedback/modal-actions.js';
import { FormModal } from '../../components/unsaved/form-modal.js';
import { LINES_LABEL, LinesField } from './lines-field.js';
import { useCreatePool, useUpdatePool } from './proxies.js';

const LABELS = {
  name: 'Name',
  is_sticky: 'One proxy for each run',
  price_per_gb: 'Price of a gigabyte',
  lines: LINES_LABEL,
};

interface PoolModalProps {
  /** The pool that is changed; null for a new one. */
  of: ProxyPool | null;
  onClose: () => void;
}

/** Creates a pool with its first proxies, or changes the settings of one. */
export function PoolModal({ of, onClose }: PoolModalProps) {
  const create = useCreatePool();
  const update = useUpdatePool();
  const request = of ? update : create;
  const form = useForm({
    initialValues: {
      name: of?.name ?? '',
      is_sticky: of?.is_sticky ?? false,
      price_per_gb: (of?.price_per_gb ?? '') as number | '',
      lines: '',
    },
    validate: { name: name => (name.trim() === '' ? 'Enter the name by which skripts use it' : null) },
  });
  const refused = fieldMessages(request.error, LABELS);
  const propsOf = (field: keyof typeof LABELS) => {
    const props = form.getInputProps(field);
    return { label: LABELS[field], mb: 'sm', ...props, error: props.error ?? refused[field] };
  };
  const submit = form.onSubmit(({ name, is_sticky, price_per_gb: price, lines }) => {
    const body = { name: name.trim(), is_sticky, price_per_gb: price === '' ? null : price };
    if (of) update.mutate({ id: of.id, ...body }, { onSuccess: onClose });
    else create.mutate({ ...body, ...(lines.trim() !== '' && { lines }) }, { onSuccess: onClose });
  });
  const { is_sticky, name, price_per_gb } = form.values;
  return (
    <FormModal
      title={of ? `Settings of ${of.name}` : 'Add a pool'}
      isDirty={form.isDirty()}
      kept={{
        of: of?.id ?? null,
        // The list has passwords.
        input: { name, is_sticky, price_per_gb },
        restore: input => form.setValues(input),
      }}
      onClose={onClose}
    >
      {close => (
        <form onSubmit={submit}>
          <TextInput
            description={
              of
                ? 'Skripts that name the pool keep the old name, and fail until you change them.'
                : 'The name by which skripts use the pool.'
            }
            placeholder="residential"
            maxLength={100}
            spellCheck={false}
            data-autofocus
            {...propsOf('name')}
          />
          {!of && <LinesField {...propsOf('lines')} />}
          <Checkbox
            label={LABELS.is_sticky}
            description="A run keeps its proxy while the proxy works. Otherwise the proxies take turns."
            mb="sm"
            {...form.getInputProps('is_sticky', { type: 'checkbox' })}
          />
          <NumberInput
            description="In your currency, to show the cost of a run. Optional."
            min={0}
            max={1_000_000}
            {...propsOf('price_per_gb')}
          />
          <ModalActions
            request={request}
            failure={of ? 'The pool was not saved' : 'The pool was not added'}
            labels={LABELS}
            onCancel={close}
            type="submit"
          >
            {of ? 'Save' : 'Add pool'}
          </ModalActions>
        </form>
      )}
    </FormModal>
  );
}
