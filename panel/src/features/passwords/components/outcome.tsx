import { Button, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'react-router';

interface OutcomeProps {
  title: string;
  children: ReactNode;
  /** The next thing to do. */
  action: { text: string; to: string };
}

/** What has come of a form, in its place. The heading takes the focus, so that it is read and the keyboard goes on from it. */
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
