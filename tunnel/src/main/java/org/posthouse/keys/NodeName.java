package org.posthouse.keys;

import java.util.regex.Pattern;

/** The rule for names of nodes in certificates: those of hosts, with or without a domain. Stateless. */
final class NodeName {
    private static final String NAME = "[A-Za-z0-9._-]{1,253}";
    private static final Pattern VALID = Pattern.compile(NAME);
    private static final Pattern OF_SITE = Pattern.compile("[a-z0-9-]{1,63}/" + NAME);

    private NodeName() {}

    /** Whether {@code name} is a node's with its site: SITE/NAME. */
    static boolean isOfSite(String name) {
        return OF_SITE.matcher(name).matches();
    }

    /** @throws IllegalArgumentException if {@code name} is no node's */
    static void require(String name) {
        if (!VALID.matcher(name).matches()) {
            throw new IllegalArgumentException("node name \"" + name + "\", expected 1 to 253 of letters, digits, dots, hyphens and underscores");
        }
    }
}
