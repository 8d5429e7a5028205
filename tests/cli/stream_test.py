"""Signals, terminals and pipes: what happens when the world interferes."""
import os
import pty
import select
import signal
import subprocess
import time
import unittest

from support import CliTest, SLOW_BUILD

# Far more work than the time a test waits.
LONG = ["kpca", "big.csv", "-k", "20", "--route", "tiled", "--kernel", "rbf(gamma=1)", "--residual", "1e-13",
        "--out", "s.csv", "--model", "m.mercer"]


class Signals(CliTest):
    def setUp(self):
        super().setUp()
        self.ok("generate", "gaussians", "--n", 30000, "--out", "big.csv")

    def interrupt(self, number, *arguments):
        process = self.start(*arguments)
        time.sleep(3 if SLOW_BUILD else 1.0)
        self.assertIsNone(process.poll(), "the work was over before it could be interrupted")
        process.send_signal(number)
        return process

    def test_ctrl_c_and_sigterm_give_130_and_leave_no_file(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                process = self.interrupt(number, *LONG)
                _, err = process.communicate(timeout=60)
                self.assertEqual(130, process.returncode)
                self.assertEqual(b"mercer: interrupted\n", err)
                self.assertEqual(["big.csv"], [p.name for p in self.folder.iterdir()])

    def test_a_second_ctrl_c_ends_it_at_once(self):
        # LAPACK cannot be asked to stop.
        self.ok("generate", "gaussians", "--n", 5000, "--out", "big.csv")
        process = self.interrupt(signal.SIGINT, "kpca", "big.csv", "-k", "4999", "--route", "dense", "--out", "s.csv")
        time.sleep(0.3)
        started = time.monotonic()
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(130, process.returncode)
        self.assertLess(time.monotonic() - started, 5)
        self.assertEqual(["big.csv"], [p.name for p in self.folder.iterdir()])

    def test_ctrl_c_while_waiting_for_stdin(self):
        process = self.start("pca", "-", stdin=subprocess.PIPE)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=30)  # stdin stays open: the signal alone must do it
        self.assertEqual(130, process.returncode)
        process.communicate()


class Pipes(CliTest):
    def test_a_reader_that_goes_away_is_no_error(self):
        process = self.start("generate", "gaussians", "--n", 50000)
        self.assertTrue(process.stdout.readline())
        process.stdout.close()
        err = process.stderr.read()
        process.stderr.close()
        self.assertEqual(-signal.SIGPIPE, process.wait(timeout=60))
        self.assertEqual(b"", err)


class Terminals(CliTest):
    def on_a_terminal(self, *arguments, seconds=None, until=None, **env):
        """What arrives at a terminal on stderr. Interrupted after some seconds, or once `until` has arrived."""
        try:
            ours, theirs = pty.openpty()
        except OSError as error:  # a chroot without /dev/pts
            self.skipTest(str(error))
        process = self.start(*arguments, stderr=theirs, env={"TERM": "xterm", **env})
        os.close(theirs)
        if seconds is not None:
            time.sleep(seconds)
            process.send_signal(signal.SIGINT)
        text = b""
        deadline = time.monotonic() + 120
        while True:
            if until is not None and (until in text or time.monotonic() > deadline):
                process.send_signal(signal.SIGINT)
                until = None
            try:
                if until is not None and not select.select([ours], [], [], 1)[0]:
                    continue
                part = os.read(ours, 65536)
            except OSError:
                break
            if not part:
                break
            text += part
        process.communicate(timeout=60)
        os.close(ours)
        return text.decode()

    def test_colour_only_on_a_terminal_that_wants_it(self):
        self.assertIn("\x1b[", self.on_a_terminal("pca", "nowhere.csv"))
        self.assertNotIn("\x1b[", self.on_a_terminal("pca", "nowhere.csv", NO_COLOR="1"))
        self.assertNotIn("\x1b[", self.on_a_terminal("pca", "nowhere.csv", TERM="dumb"))
        self.assertNotIn("\x1b[", self.mercer("pca", "nowhere.csv").stderr)

    def test_progress_only_on_a_terminal_and_not_when_quiet(self):
        self.ok("generate", "gaussians", "--n", 30000, "--out", "big.csv")
        wait = 8 if SLOW_BUILD else 4
        self.assertIn(" % ", self.on_a_terminal(*LONG, until=b" % "))
        self.assertNotIn("\x1b[3", self.on_a_terminal(*LONG, until=b" % ", NO_COLOR="1"))
        self.assertNotIn(" % ", self.on_a_terminal(*LONG, "--quiet", seconds=wait))


if __name__ == "__main__":
    unittest.main()
