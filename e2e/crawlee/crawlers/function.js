const { CheerioCrawler } = require('crawlee');

module.exports = async ({ base_url }) => {
  const titles = [];
  const crawler = new CheerioCrawler({
    async requestHandler({ $ }) {
      titles.push($('title').text().length > 0);
    },
  });
  const { requestsFinished } = await crawler.run([`${base_url}/catalogue`, `${base_url}/categories/sea-stories`]);
  return { requestsFinished, titles };
};
