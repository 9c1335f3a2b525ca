package org.posthouse.cli.jobs;

import org.posthouse.cli.option.CommandFailure;

/** A job's id on the command line. Stateless. */
final class JobId {
    private JobId() {}

    static boolean isOne(String word) {
        return word.matches("[0-9a-fA-F]{1,16}");
    }

    /** The job at the console's API. @throws CommandFailure if it is no id */
    static String path(String word) throws CommandFailure {
        if (!isOne(word)) {
            throw new CommandFailure("\"" + word + "\" is no job's id, expected up to 16 hexadecimal digits, as posthouse jobs lists them");
        }
        return "/api/v1/jobs/" + word;
    }
}
