declare module 'virtual:skript-templates' {
  const templates: Record<import('@trawl/contracts').SkriptTemplateName, Record<string, string>>;
  export default templates;
}
