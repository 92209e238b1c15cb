"""How published posts do: pages, charts, tables and CSV files."""
