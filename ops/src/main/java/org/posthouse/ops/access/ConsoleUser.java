package org.posthouse.ops.access;

import java.util.regex.Pattern;

/**
 * A user of the console.
 *
 * @param name 1 to 64 letters, digits, dots, hyphens, underscores and at signs; begins with a letter or digit
 * @param hash as {@link Passwords} writes it
 */
public record ConsoleUser(String name, Role role, String hash) {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._@-]{0,63}");

    /** What a name is, for messages. */
    static final String NAMES = "1 to 64 of A-Z, a-z, 0-9, '.', '-', '_' and '@' that begin with a letter or digit";

    public ConsoleUser {
        if (!isName(name)) {
            throw new IllegalArgumentException("the name is \"" + Shown.text(name) + "\", expected " + NAMES);
        }
        Passwords.iterations(hash);
    }

    /** Whether a user can have this name. */
    public static boolean isName(String name) {
        return NAME.matcher(name).matches();
    }

    /** Reads {@code name:role:hash}. @throws IllegalArgumentException if it is no user, with what is expected */
    static ConsoleUser parse(String line) {
        String[] parts = line.split(":", -1);
        if (parts.length != 3) {
            throw new IllegalArgumentException("it has " + parts.length + " parts between colons, expected three: NAME:ROLE:HASH");
        }
        return new ConsoleUser(parts[0], Role.of(parts[1]), parts[2]);
    }

    String line() {
        return name + ":" + role.word() + ":" + hash;
    }

    @Override
    public String toString() {
        return name + " (" + role.word() + ")";
    }
}
