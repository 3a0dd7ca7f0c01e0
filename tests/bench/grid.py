# SPDX-License-Identifier: GPL-2.0-or-later
"""A screen of characters, fed with what curses writes to an xterm: enough to read a table from it."""
import re

TOKEN = re.compile(r"\x1b\[([?>]?[\d;]*)([@-~])|\x1b[()][0-9A-Za-z]|\x1b[=>78]|(\x1b)|([\r\n\b])|([^\x1b\r\n\b]+)")


class Grid:
    """Bytes may come cut anywhere."""

    def __init__(self, lines, columns):
        self.columns = columns
        self.cells = [[" "] * columns for _ in range(lines)]
        self.line = self.column = 0
        self.pending = b""

    def feed(self, data):
        text = self.pending + data
        # What may be the beginning of a sequence or of a character waits for the rest.
        cut = re.search(rb"(\x1b(\[[?>]?[\d;]*|[()])?|[\xc0-\xff][\x80-\xbf]*)\Z", text)
        end = cut.start() if cut and not is_whole(cut[0]) else len(text)
        self.pending = text[end:]
        for parameters, final, _, control, plain in TOKEN.findall(text[:end].decode("utf-8", "replace")):
            if final:
                self.control(parameters, final)
            elif control:
                self.move(control)
            for character in plain:
                self.put(character)

    def put(self, character):
        if self.column < self.columns:
            self.cells[self.line][self.column] = character
            self.column += 1

    def move(self, control):
        if control == "\r":
            self.column = 0
        elif control == "\b":
            self.column = max(0, self.column - 1)
        else:
            self.line = min(self.line + 1, len(self.cells) - 1)

    def control(self, parameters, final):
        if parameters[:1] in ("?", ">"):
            return
        numbers = [int(number or 0) for number in parameters.split(";")]
        count = numbers[0] or 1
        if final in "Hf":
            self.go(count - 1, (numbers[1] or 1) - 1 if len(numbers) > 1 else 0)
        elif final == "d":
            self.go(count - 1, self.column)
        elif final == "G":
            self.go(self.line, count - 1)
        elif final in "AB":
            self.go(self.line + (count if final == "B" else -count), self.column)
        elif final in "CD":
            self.go(self.line, self.column + (count if final == "C" else -count))
        elif final == "b":
            for _ in range(count):
                self.put(self.cells[self.line][self.column - 1])
        elif final == "X":
            self.erase(self.line, self.column, self.column + count)
        elif final == "K":
            self.erase(self.line, *((self.column, self.columns), (0, self.column + 1), (0, self.columns))[numbers[0]])
        elif final == "J":
            self.erase(self.line, self.column if not numbers[0] else 0, self.columns)
            for line in range(self.line + 1 if not numbers[0] else 0, len(self.cells)):
                self.erase(line, 0, self.columns)

    def go(self, line, column):
        self.line = min(max(line, 0), len(self.cells) - 1)
        self.column = min(max(column, 0), self.columns - 1)

    def erase(self, line, start, end):
        for column in range(start, min(end, self.columns)):
            self.cells[line][column] = " "

    def text(self):
        return ["".join(line) for line in self.cells]


def is_whole(tail):
    """Is a tail that begins like a multi-byte character all of it?"""
    first = tail[0]
    return first >= 0xc0 and len(tail) == (2 if first < 0xe0 else 3 if first < 0xf0 else 4)
