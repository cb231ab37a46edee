import { NumberInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { PROXY_COUNTRY, PROXY_LIMITS } from '@trawl/contracts';
import type { PoolProxy } from '../../api/entities.js';
import { fieldMessages } from '../../api/field-messages.js';
import { ModalActions } from '../../components/feedback/modal-actions.js';
import { FormModal } from '../../components/unsaved/form-modal.js';
import { useTagProxy } from './proxies.js';

const LABELS = { country: 'Country', tier: 'Tier' };

interface TagsModalProps {
  poolId: string;
  proxy: PoolProxy;
  onClose: () => void;
}

/** Changes country and tier of a proxy. */
export function TagsModal({ poolId, proxy, onClose }: TagsModalProps) {
  const request = useTagProxy();
  const form = useForm({
    initialValues: { country: proxy.country ?? '', tier: proxy.tier },
    transformValues: ({ country, tier }) => ({ country: country.trim().toLowerCase(), tier }),
    validate: {
      country: country =>
        country.trim() === '' || PROXY_COUNTRY.test(country.trim().toLowerCase())
          ? null
          : 'Enter two letters, such as de',
    },
  });
  const refused = fieldMessages(request.error, LABELS);
  const propsOf = (field: keyof typeof LABELS) => {
    const props = form.getInputProps(field);
    return { label: LABELS[field], mb: 'sm', ...props, error: props.error ?? refused[field] };
  };
  return (
    <FormModal title={`Tags of ${proxy.address}`} isDirty={form.isDirty()} onClose={onClose}>
      {close => (
        <form
          onSubmit={form.onSubmit(({ country, tier }) =>
            request.mutate({ poolId, id: proxy.id, country: country || null, tier }, { onSuccess: onClose }),
          )}
        >
          <TextInput
            description="Two letters, such as de. Skripts choose proxies by it."
            maxLength={2}
            spellCheck={false}
            data-autofocus
            {...propsOf('country')}
          />
          <NumberInput
            description="Runs use a higher tier only while no proxy of a lower one works."
            {...PROXY_LIMITS.tiers}
            allowDecimal={false}
            {...propsOf('tier')}
          />
          <ModalActions
            request={request}
            failure="The tags were not saved"
            labels={LABELS}
            onCancel={close}
            type="submit"
          >
            Save
          </ModalActions>
        </form>
      )}
    </FormModal>
  );
}
