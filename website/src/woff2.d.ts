declare module '*.woff2' {
  /** Address of the font file on this site. */
  const address: string;
  export default address;
}
