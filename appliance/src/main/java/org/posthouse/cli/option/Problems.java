package org.posthouse.cli.option;

import java.util.ArrayList;
import java.util.List;
import org.posthouse.directory.GroupException;
import org.posthouse.keys.KeysException;

/**
 * The errors in a command's options: collected one by one, and reported together before anything is opened. Confined to
 * the command's thread.
 */
public final class Problems {
    private final List<String> found = new ArrayList<>();

    /** A part of what options say. */
    public interface Part<T> {
        T make() throws CommandFailure, KeysException, GroupException;
    }

    /** Adds a problem. */
    public void add(String problem) {
        found.add(problem);
    }

    /** The result of {@code part}; null if it fails, and the error is added. */
    public <T> T of(Part<T> part) {
        try {
            return part.make();
        } catch (CommandFailure | KeysException | GroupException | IllegalArgumentException e) {
            found.add(e.getMessage());
            return null;
        }
    }

    /** @throws CommandFailure with all of them in one line, if there are any */
    public void report() throws CommandFailure {
        if (!found.isEmpty()) {
            throw new CommandFailure(String.join("; ", found));
        }
    }
}
