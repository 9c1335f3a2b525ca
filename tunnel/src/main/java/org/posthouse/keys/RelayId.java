package org.posthouse.keys;

/**
 * Identifies a relay of the grid by its site, which its certificate proves, and its name there, which it claims.
 * Immutable.
 *
 * <p>It is written SITE for the relay named {@link #FIRST}, which most sites have only, and SITE/NAME for any other. So
 * each relay has exactly one text form, in frames, in the directory and on the console.
 *
 * @param site 1 to 63 of a-z, 0-9 and hyphen
 * @param name the same
 */
public record RelayId(String site, String name) {
    /** The name of a relay without a configured name. */
    public static final String FIRST = "1";

    private static final char SEPARATOR = '/';

    /** @throws IllegalArgumentException if either is not a valid name */
    public RelayId {
        SiteName.require(site);
        if (!SiteName.isValid(name)) {
            throw new IllegalArgumentException(
                    "name \"" + name + "\" of a relay of site " + site + ", expected 1 to 63 of a-z, 0-9 and hyphen");
        }
    }

    /**
     * Parses SITE or SITE/NAME.
     *
     * @throws IllegalArgumentException if it is neither
     */
    public static RelayId parse(String text) {
        int separator = text.indexOf(SEPARATOR);
        return separator < 0
                ? new RelayId(text, FIRST)
                : new RelayId(text.substring(0, separator), text.substring(separator + 1));
    }

    /** Whether {@code text} is the text form of a relay; false for anything else. */
    public static boolean isWritten(String text) {
        try {
            return parse(text).toString().equals(text);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /**
     * Whether {@code text} is the text form of a relay of {@code site}. A certificate for that site permits only such
     * ids.
     */
    public static boolean isOf(String site, String text) {
        return isWritten(text) && parse(text).site().equals(site);
    }

    @Override
    public String toString() {
        return name.equals(FIRST) ? site : site + SEPARATOR + name;
    }
}
