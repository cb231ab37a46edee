import { api, unwrap } from '../../../api/client.js';
import { useChange } from '../../../components/feedback/use-change.js';

export const usePurgeSkripts = () =>
  useChange({
    send: () => unwrap(api.POST('/joint-api/skripts/purge', { body: { confirm: true } })),
    done: ({ deleted, kept }) => {
      const count = deleted.skripts ?? 0;
      const titles = kept.map(({ title }) => title).join(', ');
      return `${count === 1 ? 'One skript is' : `${count} skripts are`} deleted.${
        titles && ` These are running, so Trawl kept them: ${titles}. Stop their runs, then delete them.`
      }`;
    },
    reload: [[]],
    failed: 'The skripts could not be deleted',
  });
