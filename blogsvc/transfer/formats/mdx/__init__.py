"""MDX: Markdown with statements and components of JavaScript."""
