package org.posthouse.tunnel;

import org.posthouse.keys.SiteName;

/**
 * Which relay of the grid: its site, which its certificate proves, and its name there, which it claims. Immutable.
 *
 * <p>It is written SITE for the relay named {@link #FIRST}, which for most sites is the only one, and SITE/NAME for any
 * other; so one text stands for one relay, in frames, in the directory and for people.
 *
 * @param site 1 to 63 of a-z, 0-9 and hyphen
 * @param name the same
 */
public record RelayId(String site, String name) {
    /** The name of a relay that was given none. */
    public static final String FIRST = "1";

    private static final char SEPARATOR = '/';

    /** @throws IllegalArgumentException if either is no such name */
    public RelayId {
        SiteName.require(site);
        if (!SiteName.isValid(name)) {
            throw new IllegalArgumentException(
                    "name \"" + name + "\" of a relay of site " + site + ", expected 1 to 63 of a-z, 0-9 and hyphen");
        }
    }

    /** Reads SITE or SITE/NAME. @throws IllegalArgumentException if it is neither */
    public static RelayId parse(String text) {
        int separator = text.indexOf(SEPARATOR);
        return separator < 0
                ? new RelayId(text, FIRST)
                : new RelayId(text.substring(0, separator), text.substring(separator + 1));
    }

    /** Whether this relay is written so; false for anything that is no relay at all. */
    static boolean isWritten(String text) {
        try {
            return parse(text).toString().equals(text);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Whether {@code text} is how a relay of {@code site} is written: what a certificate for that site lets one claim. */
    public static boolean isOf(String site, String text) {
        return isWritten(text) && parse(text).site().equals(site);
    }

    @Override
    public String toString() {
        return name.equals(FIRST) ? site : site + SEPARATOR + name;
    }
}
