"""What the program says about itself."""
import unittest

from support import CliTest

COMMANDS = ["pca", "kpca", "transform", "update", "merge", "inverse", "info", "plot", "convert", "generate", "demo"]


class Help(CliTest):
    def test_version_is_one_line(self):
        self.assertRegex(self.ok("--version"), r"^mercer \d+\.\d+\.\d+\n$")

    def test_main_help_lists_the_commands_that_work_and_no_others(self):
        text = self.ok("--help")
        listed = [line.split()[0] for line in text.split("Commands:\n")[1].split("\n\n")[0].splitlines()
                  if line.startswith("  ")]
        listed = [word for word in listed if not word.startswith("-")]
        self.assertEqual(COMMANDS, listed)

    def test_every_help_fits_a_screen_and_ends_with_an_example(self):
        for command in COMMANDS:
            with self.subTest(command):
                lines = self.ok(command, "--help").splitlines()
                self.assertLessEqual(len(lines), 40)
                self.assertLessEqual(max(map(len, lines)), 100)
                self.assertTrue(lines[0].startswith(f"usage: mercer {command}"), lines[0])
                self.assertTrue(lines[-1].startswith(f"Example: mercer {command}"), lines[-1])
        self.assertLessEqual(len(self.ok("--help").splitlines()), 40)

    def test_options_that_do_not_work_yet_are_not_offered(self):
        text = self.ok("kpca", "--help")
        for absent in ("--basis", "--ridge"):
            self.assertNotIn(absent, text)
        self.assertIn("--kernel", text)

    def test_pca_has_no_kernel(self):
        self.assertNotIn("--kernel", self.ok("pca", "--help"))
        self.fails(2, "pca", "x.csv", "--kernel", "linear")

    def test_no_command_and_unknown_commands_are_usage_errors(self):
        self.assertIn("--help", self.fails(2))
        self.assertIn("no command 'frobnicate'", self.fails(2, "frobnicate", "x.csv"))
        self.assertIn("no command 'klda'", self.fails(2, "klda", "x.csv"))

    def test_a_wrong_option_names_itself_and_the_help(self):
        message = self.fails(2, "kpca", "x.csv", "--frobnicate")
        self.assertIn("--frobnicate", message)
        self.assertIn("mercer kpca --help", message)

    def test_a_missing_argument_is_a_usage_error(self):
        self.assertIn("DATA", self.fails(2, "kpca"))
        self.assertIn("--out", self.fails(2, "plot", "model.mercer"))


if __name__ == "__main__":
    unittest.main()
