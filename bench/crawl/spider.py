"""The same crawl with Scrapy: python3 spider.py START MONGODB_URI"""
import sys
from urllib.parse import urldefrag, urljoin

import pymongo
import scrapy
from scrapy.crawler import CrawlerProcess

START, URI = sys.argv[1:3]
FOLDER = START.rsplit("/", 1)[0] + "/"
PER_BATCH = 100


class Store:
    """Inserts the records in batches."""

    def open_spider(self, spider):
        self.pages = pymongo.MongoClient(URI, w="majority", journal=True).bench.pages
        self.pages.delete_many({})
        self.batch = []
        self.count = 0

    def process_item(self, item, spider):
        self.count += 1
        self.batch.append(item)
        if len(self.batch) == PER_BATCH:
            self.flush()
        return item

    def flush(self):
        if self.batch:
            self.pages.insert_many(self.batch)
        self.batch = []

    def close_spider(self, spider):
        self.flush()
        print(self.count)


class Pages(scrapy.Spider):
    name = "pages"
    custom_settings = {
        "CONCURRENT_REQUESTS": 10,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 10,
        "ITEM_PIPELINES": {Store: 1},
        "LOG_LEVEL": "ERROR",
        "TELNETCONSOLE_ENABLED": False,
        "ROBOTSTXT_OBEY": False,
        "REQUEST_FINGERPRINTER_IMPLEMENTATION": "2.7",
    }

    def start_requests(self):
        # Requests of start_urls are not in the filter of duplicates, so the first page would be read twice.
        yield scrapy.Request(START)

    def parse(self, response):
        for href in response.css("a::attr(href)").getall():
            url = urldefrag(urljoin(response.url, href)).url
            if url.startswith(FOLDER) and url.endswith(".html"):
                yield scrapy.Request(url)
        paragraph = response.css("p")
        yield {
            "url": response.url,
            "title": "".join(response.css("title ::text").getall()).strip(),
            "headings": len(response.css("h1, h2, h3")),
            "tables": len(response.css("table")),
            "text": "".join(paragraph[0].css("::text").getall()).strip() if paragraph else "",
        }


process = CrawlerProcess()
process.crawl(Pages)
process.start()
