declare module 'virtual:library-types/*' {
  const pack: import('./type-packs.js').TypePack;
  export default pack;
}
