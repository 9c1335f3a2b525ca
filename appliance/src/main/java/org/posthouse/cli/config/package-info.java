/**
 * Options of a command from elsewhere than its command line: from {@code POSTHOUSE_} variables and a YAML file. {@link
 * org.posthouse.cli.config.Configuration} puts them in front of the user's words, so that one parser checks all. It uses
 * no command. All state belongs to the command's thread.
 */
package org.posthouse.cli.config;
