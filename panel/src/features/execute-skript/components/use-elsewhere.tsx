import { Modal, Tabs } from '@mantine/core';
import { TabList } from '../../../components/scroll/tab-list.js';
import { CopyableCode } from '../../../components/values/copyable-code.js';
import { commandsOf } from '../commands.js';
import type { RunRequest } from '../start-call.js';

interface UseElsewhereProps {
  request: RunRequest;
  as: 'curl' | 'javascript';
  onChange: (as: 'curl' | 'javascript') => void;
  onClose: () => void;
  /** Path of the page on which the user makes an API key. */
  keysHref: string;
}

/** Shows the commands that make the same start from a terminal or a program. */
export function UseElsewhere({ request, as, onChange, onClose, keysHref }: UseElsewhereProps) {
  const commands = commandsOf(request, window.location.origin);
  const hasSecret = request.input.from === 'typed' && request.input.inputSecret !== undefined;
  return (
    <Modal
      opened
      onClose={onClose}
      size="xl"
      title="Start this run from elsewhere"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Tabs value={as} onChange={value => onChange(value as 'curl' | 'javascript')}>
        <TabList>
          <Tabs.Tab value="curl">curl</Tabs.Tab>
          <Tabs.Tab value="javascript">JavaScript</Tabs.Tab>
        </TabList>
        <Tabs.Panel value="curl">
          <CopyableCode title="curl" code={commands.curl} />
        </Tabs.Panel>
        <Tabs.Panel value="javascript">
          <CopyableCode title="JavaScript" code={commands.javascript} />
        </Tabs.Panel>
      </Tabs>
      <p className="tab-note">
        Set <code>TRAWL_TOKEN</code> to an API key first. You make one under{' '}
        <a className="link" href={keysHref} target="_blank" rel="noreferrer">
          Joint API
        </a>
        .{hasSecret && ' The input secret is not shown: put it in the place of …'}
      </p>
    </Modal>
  );
}
