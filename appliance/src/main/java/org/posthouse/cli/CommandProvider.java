package org.posthouse.cli;

import java.util.List;

/**
 * Adds subcommands to {@code posthouse} from another jar of the class path, which names its provider in
 * {@code META-INF/services}. {@link Posthouse} asks for providers only if the first word is none of its own commands.
 */
public interface CommandProvider {
    /** Classes with picocli's annotation {@code @Command}, in the order of the help text. */
    List<Class<?>> commands();
}
