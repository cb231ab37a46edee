declare module 'virtual:library-types/*' {
  const pack: import('@trawl/type-check').TypePack;
  export default pack;
}
