"""IndexNow (https://www.indexnow.org/documentation): tell search engines about changed pages."""
