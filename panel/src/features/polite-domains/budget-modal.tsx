import { NumberInput, Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { POLITE_LIMITS, ROBOTS_MODES } from '@trawl/contracts';
import type { PoliteDomain } from '../../api/entities.js';
import { fieldMessages } from '../../api/field-messages.js';
import { ModalActions } from '../../components/feedback/modal-actions.js';
import { FormModal } from '../../components/unsaved/form-modal.js';
import { nameOf, useSetPoliteDomain } from './polite-domains.js';

const LABELS = {
  domain: 'Domain',
  requests_per_second: 'Requests a second',
  burst: 'Burst',
  max_concurrency: 'Concurrent requests',
  robots: 'robots.txt',
};

interface BudgetModalProps {
  /** The domain whose budget is changed; null for one that the user enters. */
  of: PoliteDomain | null;
  onClose: () => void;
}

/** Sets the budget of a domain. */
export function BudgetModal({ of, onClose }: BudgetModalProps) {
  const request = useSetPoliteDomain();
  const form = useForm({
    initialValues: {
      domain: of?.domain ?? '',
      requests_per_second: of?.requests_per_second ?? POLITE_LIMITS.requestsPerSecond,
      burst: of?.burst ?? POLITE_LIMITS.burst,
      max_concurrency: (of?.max_concurrency ?? '') as number | '',
      robots: of?.robots ?? ROBOTS_MODES[0],
    },
    validate: { domain: domain => (domain.trim() === '' ? 'Enter a host such as shop.example' : null) },
  });
  const refused = fieldMessages(request.error, LABELS);
  const propsOf = (field: keyof typeof LABELS) => {
    const props = form.getInputProps(field);
    return { label: LABELS[field], mb: 'sm', ...props, error: props.error ?? refused[field] };
  };
  return (
    <FormModal
      title={of ? `Budget of ${nameOf(of.domain)}` : 'Set the budget of a domain'}
      isDirty={form.isDirty()}
      onClose={onClose}
    >
      {close => (
        <form
          onSubmit={form.onSubmit(({ domain, max_concurrency, ...budget }) =>
            request.mutate(
              { domain: domain.trim(), ...budget, max_concurrency: max_concurrency === '' ? null : max_concurrency },
              { onSuccess: onClose },
            ),
          )}
        >
          {!of && (
            <TextInput
              description="A host, with its port if it is an unusual one. Subdomains have budgets of their own."
              placeholder="shop.example"
              maxLength={POLITE_LIMITS.domainChars}
              spellCheck={false}
              data-autofocus
              {...propsOf('domain')}
            />
          )}
          <NumberInput
            description="All your polite runs together send no more, on average."
            min={POLITE_LIMITS.minRequestsPerSecond}
            max={POLITE_LIMITS.maxRequestsPerSecond}
            decimalScale={3}
            {...propsOf('requests_per_second')}
          />
          <NumberInput
            description="Requests that may follow each other at once after a pause. 1 spaces all of them evenly."
            min={1}
            max={POLITE_LIMITS.maxBurst}
            allowDecimal={false}
            {...propsOf('burst')}
          />
          <NumberInput
            description="Requests that all your polite runs together have in progress. Leave it empty for no limit."
            min={1}
            max={POLITE_LIMITS.maxConcurrency}
            allowDecimal={false}
            {...propsOf('max_concurrency')}
          />
          <Select
            description="obey: disallowed requests fail, and a crawl delay slows the runs. warn: runs only echo a warning."
            data={[...ROBOTS_MODES]}
            allowDeselect={false}
            {...propsOf('robots')}
          />
          <ModalActions
            request={request}
            failure="The budget was not saved"
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
