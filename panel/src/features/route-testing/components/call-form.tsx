import { Alert, FileInput, Select, SimpleGrid, Tabs, TextInput } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { type FormEvent, useEffect, useState } from 'react';
import { messageOf } from '../../../api/api-error.js';
import { JsonField } from '../../../components/code/json-field.js';
import { FocusableButton } from '../../../components/focusable-button.js';
import { useUnsavedWork } from '../../../components/unsaved/unsaved-work.js';
import { CopyableCode } from '../../../components/values/copyable-code.js';
import { useSendCall } from '../api/send-call.js';
import { callOf, curlOf, type Filled, javascriptOf, problemsOf } from '../call.js';
import type { Operation, Parameter } from '../operations.js';
import { CallAnswer } from './call-answer.js';
import { InlineCode } from './inline-code.js';

interface FieldProps {
  parameter: Parameter;
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
}

function Field({ parameter: { name, in: place, isRequired, description, example, choices }, ...field }: FieldProps) {
  const common = {
    label: name,
    description: (
      <>
        <InlineCode text={description} /> ({place})
      </>
    ),
    withAsterisk: isRequired,
    error: field.error,
    placeholder: example,
  };
  if (choices)
    return (
      <Select
        {...common}
        data={choices}
        clearable
        value={field.value || null}
        onChange={value => field.onChange(value ?? '')}
      />
    );
  return (
    <TextInput
      {...common}
      classNames={{ input: 'mono' }}
      spellCheck={false}
      autoComplete="off"
      value={field.value}
      onChange={event => field.onChange(event.currentTarget.value)}
    />
  );
}

const exampleOf = ({ body }: Operation) => (body?.type === 'application/json' ? body.example : '');

interface CallFormProps {
  operation: Operation;
  apiKey: string;
  /** Earlier entries for this route. */
  before: Filled | undefined;
  onFilled: (filled: Filled) => void;
}

/** Form for one route with its response. */
export function CallForm({ operation, apiKey, before, onFilled }: CallFormProps) {
  const send = useSendCall();
  const { body } = operation;
  const [filled, setFilled] = useState<Filled>(before ?? { parameters: {}, body: exampleOf(operation), file: null });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new function changes nothing that was filled in.
  useEffect(() => onFilled(filled), [filled]);
  const isSent = send.isSuccess && send.variables.call.body === callOf(operation, filled).body;
  useUnsavedWork(filled.body !== exampleOf(operation) && !isSent);
  const [wasTried, setTried] = useState(false);
  const problems = problemsOf(operation, filled);
  const shown = wasTried ? problems : {};
  const call = callOf(operation, filled);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (Object.keys(problems).length === 0) send.mutate({ call, apiKey });
  };

  return (
    <>
      <form onSubmit={submit} aria-label={`Call ${operation.id}`}>
        <p className="tab-note">
          <InlineCode text={operation.description} />
        </p>
        {operation.parameters.length > 0 && (
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" my="md">
            {operation.parameters.map(parameter => (
              <Field
                key={parameter.name}
                parameter={parameter}
                value={filled.parameters[parameter.name] ?? ''}
                onChange={value =>
                  setFilled({ ...filled, parameters: { ...filled.parameters, [parameter.name]: value } })
                }
                error={shown[parameter.name]}
              />
            ))}
          </SimpleGrid>
        )}
        {body?.type === 'application/json' && (
          <JsonField
            className="call-body"
            label="Body (JSON)"
            minRows={3}
            maxRows={18}
            value={filled.body}
            onChange={text => setFilled(now => ({ ...now, body: text }))}
            error={shown.body}
          />
        )}
        {body?.type === 'application/zip' && (
          <FileInput
            label="Archive (zip)"
            placeholder="Choose a file"
            accept=".zip"
            clearable
            my="md"
            value={filled.file}
            onChange={file => setFilled({ ...filled, file })}
            error={shown.body}
          />
        )}
        <div className="form-foot">
          <span className="tab-note">
            {operation.isPublic
              ? 'This call sends no token.'
              : `This call uses your ${apiKey ? 'API key' : 'session'}, and its changes are real.`}
          </span>
          <FocusableButton type="submit" loading={send.isPending} leftSection={<IconSend size={16} aria-hidden />}>
            Send
          </FocusableButton>
        </div>
      </form>
      <Tabs defaultValue="curl" mt="md" keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="curl">curl</Tabs.Tab>
          <Tabs.Tab value="javascript">JavaScript</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="curl">
          <CopyableCode title="curl" code={curlOf(call, window.location.origin)} />
        </Tabs.Panel>
        <Tabs.Panel value="javascript">
          <CopyableCode title="JavaScript" code={javascriptOf(call, window.location.origin)} />
        </Tabs.Panel>
      </Tabs>
      {!operation.isPublic && (
        <p className="tab-note">
          First set the variable to an API key: <code>export TRAWL_TOKEN=trk_…</code>
        </p>
      )}
      {send.isError && (
        <Alert role="alert" color="red" variant="light" mt="md" title="There was no response">
          {messageOf(send.error)}
        </Alert>
      )}
      {send.data && <CallAnswer answer={send.data} name={`${operation.id}-answer`} />}
    </>
  );
}
