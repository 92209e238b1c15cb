"""What verbs need beside the database: the settings, the door out, the vault for secrets, the time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from blogsvc.config import Config
from blogsvc.lib.crypto import Vault
from blogsvc.lib.http import Door
from blogsvc.lib.time import utc_now


@dataclass(frozen=True)
class Toolbox:
    config: Config
    vault: Vault
    door: Door = field(default_factory=Door)
    now: Callable[[], datetime] = utc_now
