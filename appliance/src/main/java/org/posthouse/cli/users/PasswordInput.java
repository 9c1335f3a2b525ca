package org.posthouse.cli.users;

import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import org.posthouse.cli.option.CommandFailure;
import picocli.CommandLine.Option;

/** Where a new password is from: the terminal, which does not show it, or standard input. Never the command line, which every user of a host can read. */
final class PasswordInput {
    @Option(names = "--password-stdin", description = "Read the password from standard input, up to its first line's end, instead of asking at the terminal.")
    private boolean stdin;

    /** @throws CommandFailure if there is none */
    String read(String name) throws CommandFailure {
        return stdin ? ofStandardInput() : ofTerminal(name);
    }

    private static String ofStandardInput() throws CommandFailure {
        try {
            String line = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
            if (line == null) {
                throw new CommandFailure("standard input has no password, expected one line");
            }
            return line;
        } catch (IOException e) {
            throw new CommandFailure("standard input cannot be read: " + e.getMessage(), e);
        }
    }

    private static String ofTerminal(String name) throws CommandFailure {
        Console console = System.console();
        if (console == null || !console.isTerminal()) {
            throw new CommandFailure("there is no terminal at which to ask for the password; give --password-stdin");
        }
        char[] first = console.readPassword("Password for %s: ", name);
        char[] second = console.readPassword("The same again: ");
        if (first == null || second == null) {
            throw new CommandFailure("no password was given; nothing is changed");
        }
        if (!new String(first).equals(new String(second))) {
            throw new CommandFailure("the two passwords are not the same; nothing is changed");
        }
        return new String(first);
    }
}
