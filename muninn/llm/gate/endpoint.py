"""Where a provider listens, read from its configured URL.

Read strictly: http or https, a host, no user information, no query. What a URL says about locality is a first guess that
saves a look-up; the address connected to decides.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from muninn.domain.trust import OFFICIAL_HOSTS, Location, address_location
from muninn.errors import ConfigError

_PORTS = {"http": 80, "https": 443}
_UNSPECIFIED = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  a server's "every address" is loopback for its client


@dataclass(frozen=True, slots=True)
class Endpoint:
    """``path`` is without a trailing slash; ``host`` is lower case and without brackets."""

    scheme: str
    host: str
    port: int
    path: str = ""

    @classmethod
    def parse(cls, url: str, key: str = "url") -> Endpoint:
        """The endpoint of a URL. Raises ConfigError naming the configuration key."""
        hint = "for example http://127.0.0.1:11434"
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:
            raise ConfigError(f"{key} is {url!r}: {error}", hint=hint) from None
        zoned = "%" in (parts.hostname or "") and ":" not in (parts.hostname or "")  # only IPv6 has zones
        if parts.scheme not in _PORTS or not parts.hostname or zoned or port == 0:
            raise ConfigError(f"{key} is {url!r}, expected an http or https URL", hint=hint)
        if "@" in parts.netloc or parts.query or parts.fragment or any(ord(c) < 33 or c == "\\" for c in url):
            raise ConfigError(f"{key} holds more than scheme, host, port and path", hint=hint)
        host = _UNSPECIFIED.get(parts.hostname, parts.hostname)
        return cls(parts.scheme, host, port or _PORTS[parts.scheme], parts.path.rstrip("/"))

    @property
    def secure(self) -> bool:
        return self.scheme == "https"

    @property
    def authority(self) -> str:
        """``host:port``, an IPv6 host in brackets."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    @property
    def host_header(self) -> str:
        return self.authority if self.port != _PORTS[self.scheme] else self.authority.rpartition(":")[0]

    @property
    def base_url(self) -> str:
        return f"{self.scheme}://{self.authority}{self.path}"

    def official_for(self, provider: str) -> bool:
        """Whether TLS will prove that the other side is the provider's own public host."""
        return self.secure and self.port == 443 and self.host == OFFICIAL_HOSTS.get(provider)

    def expected_location(self, provider: str) -> Location:
        """The location the URL promises, without a look-up."""
        if self.official_for(provider):
            return Location.OFFICIAL
        return Location.LOOPBACK if self.host == "localhost" else address_location(self.host)

    def possible_locations(self, provider: str) -> frozenset[Location]:
        """Where the other side may turn out to be: one place for an address, two for a name that has to be looked up."""
        named = self.host != "localhost" and not _is_address(self.host) and not self.official_for(provider)
        return frozenset({Location.LOOPBACK, Location.REMOTE} if named else {self.expected_location(provider)})


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return True
