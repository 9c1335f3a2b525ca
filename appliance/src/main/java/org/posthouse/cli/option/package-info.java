/**
 * Parts of several commands' arguments: groups of options, converters, and the program of a job. {@link
 * org.posthouse.cli.option.CommandFailure} gives the reason of a command's failure in one line. It uses no command. All
 * state belongs to the command's thread.
 */
package org.posthouse.cli.option;
