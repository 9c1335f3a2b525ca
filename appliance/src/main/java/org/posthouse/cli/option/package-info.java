/**
 * What several commands read from their words: groups of options, converters, and the program of a job. {@link
 * org.posthouse.cli.option.CommandFailure} says in one line why a command cannot do it. It uses no command. All
 * state belongs to the command's thread.
 */
package org.posthouse.cli.option;
