package org.posthouse.ops.access;

/** Text from outside in a message: in one line, and cut. */
final class Shown {
    private static final int CHARS_MAX = 64;

    private Shown() {}

    static String text(String text) {
        String cut = text.length() <= CHARS_MAX ? text : text.substring(0, CHARS_MAX) + "…";
        return cut.replaceAll("\\p{Cntrl}", "?");
    }
}
