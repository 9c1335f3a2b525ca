/**
 * The {@code posthouse} command: one class a subcommand. It reads options, says what is wrong with them in one line, and
 * calls the rooms that do the work. It owns nothing but the process's exit status.
 */
package org.posthouse.cli;
