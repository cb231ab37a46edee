import { Textarea, type TextareaProps } from '@mantine/core';

export const LINES_LABEL = 'Proxies';

/** Field for a list of proxies. */
export function LinesField(props: TextareaProps) {
  return (
    <Textarea
      label={LINES_LABEL}
      description="One address a line: http://, https:// or socks5://. Add country=de or tier=2 after an address. Trawl stores addresses encrypted, and never shows their passwords."
      placeholder={'http://user:password@proxy.example:8080 country=de\nsocks5://backup.example:1080 tier=2'}
      autosize
      minRows={4}
      maxRows={12}
      mb="sm"
      spellCheck={false}
      autoComplete="off"
      classNames={{ input: 'mono' }}
      {...props}
    />
  );
}
