package org.posthouse.cli.option;

import java.util.Map;
import java.util.Stack;
import org.posthouse.keys.RelayId;
import picocli.CommandLine.IParameterConsumer;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** Reads NAME=VALUE of an option that may be repeated, each name once. A relay is the same however it is written. Stateless. */
public final class EachOnce implements IParameterConsumer {
    @Override
    public void consumeParameters(Stack<String> words, ArgSpec option, CommandSpec command) {
        String word = words.pop();
        int equals = word.indexOf('=');
        if (equals < 1) {
            throw new ParameterException(command.commandLine(), text(option, word) + ", expected " + option.paramLabel());
        }
        String name = word.substring(0, equals);
        Map<String, String> given = option.getValue();
        given.forEach((other, value) -> {
            if (plain(other).equals(plain(name))) {
                throw new ParameterException(command.commandLine(),
                        text(option, word) + ": " + other + "=" + value + " is given already, expected one of the two");
            }
        });
        given.put(name, word.substring(equals + 1));
    }

    private static String text(ArgSpec option, String word) {
        return ((OptionSpec) option).longestName() + " " + word;
    }

    /** SITE/1 is SITE, also in front of a door's name. What names no relay stays as it is. */
    private static String plain(String name) {
        try {
            return RelayId.parse(name).toString();
        } catch (IllegalArgumentException e) {
            int door = name.lastIndexOf('/');
            return door < 0 ? name : plain(name.substring(0, door)) + name.substring(door);
        }
    }
}
