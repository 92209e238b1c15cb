"""The images that an account has on a platform, remembered one by one."""

from __future__ import annotations

from collections.abc import Callable

from blogsvc.connectors._kit.images import ImageFile
from blogsvc.connectors.errors import Unavailable
from blogsvc.lib.net.deadline import Deadline


class Uploads:
    """References to uploaded images, such as URLs or ids, by the name of the file, which is a hash of its bytes.

    The engine stores each one at once (`connections/stored_uploads.py`). So an attempt that ends early is continued by
    the next one, and an image is not uploaded again for another post. `made` counts the uploads of this attempt.
    """

    def __init__(self) -> None:
        self.made = 0
        self._references: dict[str, str] = {}

    def find(self, image: ImageFile) -> str | None:
        """Return the reference of the image, None if it was not uploaded or the platform may have deleted it."""
        return self._references.get(image.name)

    def add(self, image: ImageFile, reference: str) -> None:
        """Remember the upload of an image."""
        self.made += self.store(image.name, reference)

    def store(self, name: str, reference: str) -> bool:
        """Store a reference. Returns False if that is not possible now."""
        self._references[name] = reference
        return True

    def forget(self, image: ImageFile) -> None:
        """Forget an image that the platform no longer has. An attempt that needs it again has made no progress."""
        self.made = 0
        self._references.pop(image.name, None)

    def once(
        self,
        image: ImageFile,
        upload: Callable[[ImageFile], str | None],
        is_there: Callable[[str], bool] = lambda reference: True,
    ) -> str | None:
        """Return the reference of the image, and upload it if the platform does not have it. None if it is rejected.

        Raises Unavailable if the time of the attempt is nearly over, so that the next attempt continues.
        """
        stored_reference = self.find(image)
        if stored_reference is not None and is_there(stored_reference):
            return stored_reference
        self.leave_time()
        reference = upload(image)
        if reference is not None:
            self.add(image, reference)
        elif stored_reference is not None:
            self.forget(image)
        return reference

    def leave_time(self) -> None:
        """Raise Unavailable if uploads have taken so much time that the copy could not be sent safely any more."""
        if self.made and Deadline.is_half_over():
            images = "1 image is" if self.made == 1 else f"{self.made} images are"
            raise Unavailable(f"{images} uploaded. The next attempt continues with the others.")
