/**
 * Docusaurus's template of a page, except that a page loads its scripts after its first frame. Every page is complete
 * without scripts, and those of Docusaurus would compete with the style sheet and the fonts for a slow connection.
 * A page in a background tab draws no frames, so it loads them at once.
 */
export const PAGE_TEMPLATE = `
<!DOCTYPE html>
<html <%~ it.htmlAttributes %>>
  <head>
    <meta charset="UTF-8">
    <meta name="generator" content="Docusaurus v<%= it.version %>">
    <% it.metaAttributes.forEach((metaAttribute) => { %>
      <%~ metaAttribute %>
    <% }); %>
    <%~ it.headTags %>
    <% it.stylesheets.forEach((stylesheet) => { %>
      <link rel="stylesheet" href="<%= it.baseUrl %><%= stylesheet %>" />
    <% }); %>
  </head>
  <body <%~ it.bodyAttributes %>>
    <%~ it.preBodyTags %>
    <div id="__docusaurus"><%~ it.appHtml %></div>
    <%~ it.postBodyTags %>
    <script>
      {
        const load = () => {
          for (const src of <%~ JSON.stringify(it.scripts.map(script => it.baseUrl + script)) %>)
            document.head.append(Object.assign(document.createElement('script'), { src, async: false }));
        };
        if (document.hidden) load();
        else requestAnimationFrame(() => setTimeout(load));
      }
    </script>
  </body>
</html>
`;
