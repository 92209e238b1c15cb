"""Template tags and shortcodes in Markdown: those of Jekyll, Hexo, Hugo, Zola and DEV."""
