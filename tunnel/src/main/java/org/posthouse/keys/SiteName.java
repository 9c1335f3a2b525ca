package org.posthouse.keys;

import java.util.regex.Pattern;

/** The rule for names of sites, which appear in certificates, file names and metrics. Stateless. */
public final class SiteName {
    private static final Pattern VALID = Pattern.compile("[a-z0-9-]{1,63}");

    private SiteName() {}

    public static boolean isValid(String name) {
        return VALID.matcher(name).matches();
    }

    /**
     * Returns {@code name}.
     *
     * @throws IllegalArgumentException if it is not 1 to 63 of a-z, 0-9 and hyphen
     */
    public static String require(String name) {
        if (!isValid(name)) {
            throw new IllegalArgumentException(
                    "site name \"" + name + "\", expected 1 to 63 of a-z, 0-9 and hyphen");
        }
        return name;
    }
}
