import { type MantineColorScheme, SegmentedControl, useMantineColorScheme } from '@mantine/core';

const SCHEMES: { value: MantineColorScheme; label: string }[] = [
  { value: 'auto', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

/** Chooses the colour scheme of this browser. */
export function ThemeCard() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <section className="card account-card" aria-labelledby="theme">
      <h2 id="theme">Colours</h2>
      <SegmentedControl
        aria-labelledby="theme"
        data={SCHEMES}
        value={colorScheme}
        onChange={scheme => setColorScheme(scheme as MantineColorScheme)}
      />
      <p className="tab-note">This browser remembers it.</p>
    </section>
  );
}
