"""The languages of code that is highlighted, by the names that Pygments has for them, with their names for readers."""

LANGUAGES = {
    "bash": "Bash", "c": "C", "console": "Console", "cpp": "C++", "csharp": "C#", "css": "CSS", "dart": "Dart",
    "diff": "Diff", "docker": "Dockerfile", "elixir": "Elixir", "go": "Go", "graphql": "GraphQL",
    "haskell": "Haskell", "html": "HTML", "http": "HTTP", "ini": "INI", "java": "Java", "javascript": "JavaScript",
    "json": "JSON", "jsx": "JSX", "julia": "Julia", "kotlin": "Kotlin", "latex": "LaTeX", "less": "Less",
    "lua": "Lua", "make": "Makefile", "markdown": "Markdown", "nginx": "nginx", "nix": "Nix", "ocaml": "OCaml",
    "perl": "Perl", "php": "PHP", "powershell": "PowerShell", "pycon": "Python console", "python": "Python",
    "r": "R", "ruby": "Ruby", "rust": "Rust", "scala": "Scala", "scss": "SCSS", "sql": "SQL", "swift": "Swift",
    "toml": "TOML", "tsx": "TSX", "typescript": "TypeScript", "vim": "Vim script", "xml": "XML", "yaml": "YAML",
    "zig": "Zig",
}  # fmt: skip
