"""The lists of posts with their filters and bulk actions, the attention list, and the trash."""
