"""The media library, and uploads in forms."""
