import { Fragment } from 'react';

/** Renders backticks in a text of the OpenAPI document as code. */
export const InlineCode = ({ text }: { text: string }) => (
  <>
    {text.split('`').map((part, index) => {
      const key = `${index} ${part}`;
      return index % 2 === 1 ? <code key={key}>{part}</code> : <Fragment key={key}>{part}</Fragment>;
    })}
  </>
);
