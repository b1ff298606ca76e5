"""A launchd agent for macOS, as text; muninn prints it and does not install it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

_AGENT = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- save as ~/Library/LaunchAgents/memory.muninn.plist, then: launchctl load -w that file -->
<plist version="1.0">
<dict>
  <key>Label</key><string>memory.muninn</string>
  <key>ProgramArguments</key>
  <array>
{arguments}
  </array>
  <key>EnvironmentVariables</key>
  <dict><key>MUNINN_HOME</key><string>{home}</string></dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
  <key>ExitTimeOut</key><integer>90</integer>
  <key>Umask</key><integer>63</integer>
</dict>
</plist>
"""


def agent(command: Sequence[str], home: str) -> str:
    """The agent that runs ``command`` with ``MUNINN_HOME`` set to ``home``."""
    arguments = "\n".join(f"    <string>{escape(word)}</string>" for word in command)
    return _AGENT.format(arguments=arguments, home=escape(home))
