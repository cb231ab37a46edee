import '../../styles/json/json-field.css';
import { Input } from '@mantine/core';
import { Suspense } from 'react';
import { lazyScreen } from '../lazy-screen.js';
import { heightOf, type JsonFieldProps } from './json-field-props.js';

const JsonEditor = lazyScreen(() => import('./json-editor.js'));

/** Field of a form for a JSON text. */
export function JsonField(props: JsonFieldProps) {
  const { label, description, minRows, className } = props;
  const loading = (
    <Input.Wrapper className={className} label={label} labelElement="div" description={description}>
      <div className="json-code" style={{ height: heightOf(minRows) }} />
    </Input.Wrapper>
  );
  return (
    <Suspense fallback={loading}>
      <JsonEditor {...props} />
    </Suspense>
  );
}
