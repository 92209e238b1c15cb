"""The files and directories in the data directory of an instance."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from blogsvc.lib.storage import Storage, open_storage

# The directories in the storage.
MEDIA, IMPORTS = "media", "imports"


class InstancePaths:
    """`instance` is the data directory (BLOGSVC_INSTANCE)."""

    instance: Path
    # The URL of the storage of images and files (BLOGSVC_MEDIA_URL); empty for the data directory.
    media_url: str

    @property
    def storage(self) -> Storage:
        """The storage of uploaded images and of files to import, which servers that share a database share, too."""
        return open_storage(self.media_url, self.storage_folder)

    @property
    def storage_folder(self) -> Path:
        """The directory of the storage, or of its copies on this machine."""
        url = urlsplit(self.media_url)
        if url.scheme == "file":
            return Path(unquote(url.path))
        return self.instance / "copies" if self.storage_is_remote else self.instance

    @property
    def storage_is_remote(self) -> bool:
        """True if the storage is a store, and its directory has only copies."""
        return self.media_url.startswith("s3:")

    @property
    def key_file(self) -> Path:
        """The file of the key that encrypts secrets, unless BLOGSVC_SECRET_KEY is set."""
        return self.instance / "secret.key"

    @property
    def key_lock(self) -> Path:
        """The file that a rotation of the key locks, and a backup, which must not see half of it."""
        return self.instance / ".key.lock"

    @property
    def start_lock(self) -> Path:
        """The file that a starting process of a WSGI server locks: the first one creates the key and the database."""
        return self.instance / ".start.lock"

    @property
    def scheduler_lock(self) -> Path:
        """The file that the process with the scheduler locks, and that has the id of that process."""
        return self.instance / ".scheduler.lock"

    @property
    def media(self) -> Path:
        """The directory of uploaded images."""
        return self.storage_folder / MEDIA

    @property
    def media_place(self) -> str:
        """Where images are kept, for messages."""
        return self.media_url if self.storage_is_remote else str(self.media)

    @property
    def processes(self) -> Path:
        """The directory of the files that running processes hold locks on."""
        return self.instance / "processes"

    @property
    def backups(self) -> Path:
        """The directory of backups that were made without a file name."""
        return self.instance / "backups"

    @property
    def imports(self) -> Path:
        """The directory of uploaded exports of other blogs, until they are imported."""
        return self.storage_folder / IMPORTS

    @property
    def private_directories(self) -> tuple[Path, ...]:
        """The directories in the data directory that no other user may read."""
        return self.media, self.processes, self.backups, self.imports
