"""The files of static sites, and of vaults of notes: what their settings, names and heads say."""
