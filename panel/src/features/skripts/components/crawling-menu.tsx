import { Button, Menu } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { Link } from 'react-router';

const SCREENS = [
  { path: '/sessions', title: 'Sessions' },
  { path: '/queues', title: 'Queues' },
  { path: '/polite-domains', title: 'Polite domains' },
  { path: '/proxies', title: 'Proxies' },
];

interface CrawlingProps {
  href: (path: string) => string;
}

/** Links to the screens with what the runs of all skripts share. */
export const CrawlingItems = ({ href }: CrawlingProps) =>
  SCREENS.map(({ path, title }) => (
    <Menu.Item key={path} component={Link} to={href(path)}>
      {title}
    </Menu.Item>
  ));

export function CrawlingMenu({ href }: CrawlingProps) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" rightSection={<IconChevronDown size={16} aria-hidden />}>
          Crawling
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <CrawlingItems href={href} />
      </Menu.Dropdown>
    </Menu>
  );
}
