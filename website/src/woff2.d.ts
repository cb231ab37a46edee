declare module '*.woff2' {
  /** URL of the font file. */
  const address: string;
  export default address;
}
