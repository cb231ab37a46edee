/** Docusaurus calls it to teach its highlighter more languages; here code is coloured when the site is built. */
export default function prismIncludeLanguages(): void {}
