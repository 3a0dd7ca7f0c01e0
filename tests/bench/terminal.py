# SPDX-License-Identifier: GPL-2.0-or-later
"""A program on a terminal of a size, which a thread reads as fast as it comes."""
import fcntl
import os
import pty
import struct
import subprocess
import termios
import threading
import time

import program


class Terminal:
    def __init__(self, command, columns, lines, prepare=None):
        """@prepare is called in the process, before it becomes the program."""
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.process = subprocess.Popen([str(word) for word in command], stdin=slave, stdout=slave, stderr=slave,
                                        env=program.environment(TERM="tmux-256color", LC_ALL="C.UTF-8"),
                                        start_new_session=True, preexec_fn=prepare)
        os.close(slave)
        self.n_read = 0
        self.came = threading.Condition()
        self.came_at = 0.0      # when the last bytes came
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        while True:
            try:
                data = os.read(self.master, 65536)
            except OSError:     # the last user went
                return
            with self.came:
                self.n_read += len(data)
                self.came_at = time.monotonic()
                self.came.notify_all()

    def wait_quiet(self, seconds):
        """Until nothing has come for so long."""
        while time.monotonic() - self.came_at < seconds:
            time.sleep(0.005)

    def press(self, key, patience=2):
        """How long until the first byte of the answer, in s; patience where there is none."""
        with self.came:
            before, start = self.n_read, time.monotonic()
            os.write(self.master, key.encode())
            self.came.wait_for(lambda: self.n_read > before, patience)
            return self.came_at - start if self.n_read > before else patience

    def wait(self, seconds):
        return self.process.wait(seconds)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        program.end(self.process)
        self.reader.join(2)
        os.close(self.master)
