import '../../styles/lists/palette.css';
import { modals } from '@mantine/modals';

const GROUPS: { title: string; keys: [keys: string[], what: string][] }[] = [
  {
    title: 'Everywhere',
    keys: [
      [['Ctrl', 'K'], 'Search, or type a command'],
      [['?'], 'Show these shortcuts'],
      [['Esc'], 'Close a dialog or menu'],
    ],
  },
  {
    title: 'Editor of a skript',
    keys: [
      [['Ctrl', 'S'], 'Save all files'],
      [['Ctrl', 'Enter'], 'Save and run'],
      [['Ctrl', 'F'], 'Search and replace in the file'],
      [['Shift', 'Alt', 'F'], 'Format the file'],
      [['Ctrl', 'Space'], 'Show suggestions'],
      [['Ctrl', 'Shift', 'Space'], 'Show the parameters of a call'],
      [['Shift', 'Alt', 'H'], 'Show the type of a name'],
      [['F8'], 'Go to the next problem'],
      [['Ctrl', 'Shift', 'M'], 'List all problems'],
      [['Esc', 'Tab'], 'Leave the editor'],
    ],
  },
];

/** On a Mac, Cmd takes the place of Ctrl. */
const MODIFIER = /Mac|iPhone|iPad/.test(navigator.userAgent) ? 'Cmd' : 'Ctrl';

/** Lists the keyboard shortcuts of the panel. */
export const showShortcuts = (): string =>
  modals.open({
    modalId: 'shortcuts',
    title: 'Keyboard shortcuts',
    children: GROUPS.map(({ title, keys }) => (
      <section key={title} className="shortcuts">
        <h3>{title}</h3>
        <dl>
          {keys.map(([names, what]) => (
            <div key={what}>
              <dt>{what}</dt>
              <dd>
                {names.map(name => (
                  <kbd key={name}>{name === 'Ctrl' ? MODIFIER : name}</kbd>
                ))}
              </dd>
            </div>
          ))}
        </dl>
      </section>
    )),
  });
