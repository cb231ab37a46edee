import { Fragment } from 'react';

/** A text of openapi.yaml: what stands between backticks is code. */
export const WithCode = ({ text }: { text: string }) => (
  <>
    {text.split('`').map((part, index) => {
      const key = `${index} ${part}`;
      return index % 2 === 1 ? <code key={key}>{part}</code> : <Fragment key={key}>{part}</Fragment>;
    })}
  </>
);
