"""The secrets that the database stores encrypted."""
