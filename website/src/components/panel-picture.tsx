import ThemedImage from '@theme/ThemedImage';

/** The size of the window that scripts/record-sample.mjs photographs, in CSS pixels. */
const SIZE = { width: 1280, height: 800 };

/** A picture of the panel as it is, in the reader's theme. */
export function PanelPicture({ name, alt }: { name: string; alt: string }) {
  return (
    <ThemedImage
      className="panel-picture"
      sources={{ light: `/img/panel-${name}-light.webp`, dark: `/img/panel-${name}-dark.webp` }}
      alt={alt}
      loading="lazy"
      decoding="async"
      {...SIZE}
    />
  );
}
