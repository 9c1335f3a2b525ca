package org.posthouse.directory.names;

import org.posthouse.names.Name;
import org.posthouse.names.NameException;

/** The map's keys: a name's parts with spaces between, because a space is below all characters of parts. So keys have the order of names. Stateless. */
final class NameKeys {
    private static final char BETWEEN = ' ';

    private NameKeys() {}

    static String key(Name name) {
        if (name.parts().isEmpty()) {
            throw new NameException(NameException.Kind.BAD_NAME, "the root is the prefix of all names and has no record; name 1 to 8 parts");
        }
        return prefix(name);
    }

    /** Of a prefix, which may be the root. */
    static String prefix(Name name) {
        return String.join(String.valueOf(BETWEEN), name.parts());
    }

    /** @throws NameException if the key is not that of a name */
    static Name name(String key) {
        return Name.parse(key.replace(BETWEEN, '/'));
    }

    /** As {@link Name#isBelow}. */
    static boolean isBelow(String key, String prefix) {
        return prefix.isEmpty() || key.equals(prefix) || key.startsWith(prefix) && key.charAt(prefix.length()) == BETWEEN;
    }
}
