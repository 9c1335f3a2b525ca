package org.posthouse.cli.doctor;

/**
 * What one check has found.
 *
 * @param subject what was checked, in a word or two
 * @param text what was found
 * @param remedy what to do about it; empty if nothing is
 */
record Finding(Level level, String subject, String text, String remedy) {
    /** How bad it is. */
    enum Level {
        OK, WARN, FAIL
    }

    static Finding ok(String subject, String text) {
        return new Finding(Level.OK, subject, text, "");
    }

    static Finding warn(String subject, String text, String remedy) {
        return new Finding(Level.WARN, subject, text, remedy);
    }

    static Finding fail(String subject, String text, String remedy) {
        return new Finding(Level.FAIL, subject, text, remedy);
    }
}
