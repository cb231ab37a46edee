import { Button, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'react-router';

interface OutcomeProps {
  title: string;
  children: ReactNode;
  /** Link to the next step. */
  action: { text: string; to: string };
}

/** Shows the result of a form in place of the form. Its heading gets the focus, so that screen readers read it. */
export function Outcome({ title, children, action }: OutcomeProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <>
      <Title order={1} size="h2" ref={heading} tabIndex={-1}>
        {title}
      </Title>
      <p className="login-text">{children}</p>
      <Button component={Link} to={action.to} fullWidth size="md">
        {action.text}
      </Button>
    </>
  );
}
