# SPDX-License-Identifier: GPL-2.0-or-later
"""What a benchmark says: figures with a bar that holds or not, notes, and what can't be done here."""


class Skip(Exception):
    """This machine can't do it; the text names what is missing."""


class Results:
    """Prints figures as they come, and counts the bars that were missed."""

    def __init__(self):
        self.missed = []
        self.skipped = []

    def section(self, title):
        print(f"\n{title}", flush=True)

    def note(self, text):
        print(f"    {text}", flush=True)

    def figure(self, name, text):
        """Without a bar."""
        print(f"  {name + ':':<42} {text}", flush=True)

    def bar(self, name, value, limit, unit="", more="", strict=False):
        """Holds where the value is at most the limit, or below it (strict)."""
        holds = value < limit if strict else value <= limit
        relation = "under" if strict else "at most"
        text = f"{value:.4g}{unit}, bar {relation} {limit:g}{unit}: {'holds' if holds else 'MISSED'}"
        self.figure(name, text + (f"  ({more})" if more else ""))
        if not holds:
            self.missed.append(name)

    def skip(self, name, why):
        self.figure(name, f"skipped: {why}")
        self.skipped.append(name)
