package org.posthouse.cli.config;

/**
 * The value of an option from elsewhere than the command line.
 *
 * @param option its longest name, as --log-limit
 * @param word the option as it stands on a command line: --log-limit=20g, or --private-console
 * @param source where it stands, for people: a variable, or a key of a file
 */
record Setting(String option, String word, String source) {}
